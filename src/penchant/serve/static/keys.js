// Keys: presses in; the button that each one stands for out, unless somebody reads or writes just then.

const CHARACTERS = "characters";

export class Keys {
  /** `buttons` name their keys in data-key and data-also; keys of one character can be switched off, as some people need. */
  constructor(buttons, memory, pressed) {
    Object.assign(this, { buttons, memory });
    document.addEventListener("keydown", (event) => this.#down(event, pressed));
  }

  get characters() {
    return this.memory.get(CHARACTERS, true);
  }

  set characters(on) {
    this.memory.set(CHARACTERS, on);
  }

  #down(event, pressed) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (document.querySelector("dialog[open]")) return;
    const reading = event.target.closest?.("[data-scrolls]");
    if (reading && event.key === "Escape") reading.blur();
    if (reading || event.target.closest?.("input, textarea, select")) return;
    if (event.key.length === 1 && !this.characters) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const button = this.buttons.find(({ dataset }) => dataset.key === key || dataset.also === key);
    if (!button) return;
    event.preventDefault();
    if (!event.repeat) pressed(button);
  }
}
