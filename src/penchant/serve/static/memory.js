// What the browser remembers for one link: values by name in; the same values out, in every tab and after a restart.
//
// The names in the storage begin with a hash of the token: whoever reads the storage does not get the link.

/** Where the storage is forbidden, things are remembered until the page is closed. */
class Forgetful {
  #values = new Map();
  get length() { return this.#values.size; }
  key(place) { return [...this.#values.keys()][place] ?? null; }
  getItem(name) { return this.#values.get(name) ?? null; }
  setItem(name, value) { this.#values.set(name, value); }
  removeItem(name) { this.#values.delete(name); }
}

const PREFIX = /^penchant\.[0-9a-f]+\./;

export class Memory {
  static async of(token) {
    return new Memory(`penchant.${await fingerprint(token)}.`, storage());
  }

  constructor(prefix, store) {
    Object.assign(this, { prefix, store });
  }

  get(name, otherwise = null) {
    try {
      return JSON.parse(this.store.getItem(this.prefix + name)) ?? otherwise;
    } catch {
      return otherwise;
    }
  }

  set(name, value) {
    try {
      this.store.setItem(this.prefix + name, JSON.stringify(value));
    } catch {
      this.store = copied(this.store); // it is full
      this.store.setItem(this.prefix + name, JSON.stringify(value));
    }
  }

  remove(name) {
    this.store.removeItem(this.prefix + name);
  }

  /** The names that begin with `start`, in their order. */
  names(start) {
    const all = Array.from({ length: this.store.length }, (_, place) => this.store.key(place));
    const begin = this.prefix + start;
    return all.filter((name) => name?.startsWith(begin)).map((name) => name.slice(this.prefix.length)).sort();
  }

  /** What this browser remembers for other links. */
  others() {
    const all = Array.from({ length: this.store.length }, (_, place) => this.store.key(place));
    const prefixes = new Set(all.map((name) => PREFIX.exec(name ?? "")?.[0]));
    return [...prefixes].filter((prefix) => prefix && prefix !== this.prefix).map((prefix) => new Memory(prefix, this.store));
  }

  /** Call back with name and value when another tab has set or removed (null) one. */
  watch(told) {
    addEventListener("storage", (event) => {
      if (event.key?.startsWith(this.prefix)) told(event.key.slice(this.prefix.length), parsed(event.newValue));
    });
  }
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function storage() {
  try {
    localStorage.length;
    return localStorage;
  } catch {
    return new Forgetful();
  }
}

function copied(store) {
  const copy = new Forgetful();
  for (let place = 0; place < store.length; place += 1) copy.setItem(store.key(place), store.getItem(store.key(place)));
  return copy;
}

/** A hash of a text, from which nobody reads the text if it is random. */
export async function fingerprint(token) {
  const bytes = new TextEncoder().encode(token);
  if (!crypto.subtle) return mixed(bytes); // a page that came over plain HTTP from another computer
  const digest = await crypto.subtle.digest("SHA-256", bytes);
  return [...new Uint8Array(digest).slice(0, 16)].map(hex).join("");
}

/** 64 bits that do not tell the 256 random bits that they come from. */
function mixed(bytes) {
  let [first, second] = [0x9e3779b9, 0x85ebca6b];
  for (const byte of bytes) {
    first = Math.imul(first ^ byte, 0x01000193) ^ (second >>> 7);
    second = Math.imul(second ^ byte, 0x5bd1e995) ^ (first >>> 13);
  }
  return [first, second].flatMap((word) => [24, 16, 8, 0].map((shift) => hex((word >>> shift) & 255))).join("");
}

const hex = (byte) => byte.toString(16).padStart(2, "0");

/** A new random id. */
export function newId() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map(hex).join("");
}
