// Corrections on their way: in; each is sent under its id until the server has acknowledged it, in their order.
//
// They are kept in the browser's storage, over reloads and restarts, so that nothing is lost and nothing counts twice.

import { call } from "./api.js";
import { persist } from "./outbox.js";

const CORRECTION = "correction.";
const DIGITS = 14;

export class Corrections {
  constructor(token, memory, tellTrouble) {
    Object.assign(this, { token, memory, tellTrouble });
    this.running = Promise.resolve();
  }

  /** Send what was interrupted; what the server rejects now is dropped. */
  resume() {
    for (const name of this.memory.names(CORRECTION)) this.#deliver(name).catch(() => {});
  }

  /** Send a body with an id to a path. The reply comes after those of all corrections before it. */
  post(path, body) {
    const name = `${CORRECTION}${String(Date.now()).padStart(DIGITS, "0")}.${body.id}`;
    this.memory.set(name, { path, body });
    return this.#deliver(name);
  }

  #deliver(name) {
    const { path, body } = this.memory.get(name) ?? {};
    const reply = this.running
      .then(() => this.ask(path, body, true))
      .finally(() => this.memory.remove(name));
    this.running = reply.catch(() => {});
    return reply;
  }

  /** Return what the server replies, asked as often as it takes; `kept` says that something would be lost otherwise. */
  async ask(path, body, kept = false) {
    const reply = await persist(
      () => call(this.token, path, body),
      (seconds, why) => this.tellTrouble(seconds, kept, why),
    );
    this.tellTrouble(0, kept, "");
    return reply;
  }
}
