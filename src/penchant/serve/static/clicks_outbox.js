// Corrections on their way: letters in; each is sent under its id until the server has acknowledged it, in their order.
//
// They are kept over a reload of the page too, so that nothing is lost and nothing counts twice.

import { call, Unreachable } from "./api.js";

const WAITS = [1, 2, 4];

/** An id that no other request of this page has. */
export function newId() {
  const numbers = crypto.getRandomValues(new Uint32Array(4));
  return [...numbers].map((number) => number.toString(16).padStart(8, "0")).join("");
}

export class Outbox {
  constructor(token, tellTrouble) {
    this.token = token;
    this.tellTrouble = tellTrouble;
    this.place = `penchant.corrections.${token}`;
    this.waiting = this.kept();
    this.running = Promise.resolve();
  }

  kept() {
    try {
      return JSON.parse(sessionStorage.getItem(this.place)) ?? [];
    } catch {
      return [];
    }
  }

  keep() {
    if (this.waiting.length) sessionStorage.setItem(this.place, JSON.stringify(this.waiting));
    else sessionStorage.removeItem(this.place);
  }

  /** Send what a reload interrupted; what the server rejects now is dropped. */
  resume() {
    for (const letter of [...this.waiting]) this.deliver(letter).catch(() => {});
  }

  /** Send a letter: a path, and a body with an id. The reply comes after those of all letters before it. */
  post(letter) {
    this.waiting.push(letter);
    this.keep();
    return this.deliver(letter);
  }

  deliver(letter) {
    const reply = this.running.then(() => this.persist(letter));
    this.running = reply.catch(() => {});
    return reply;
  }

  async persist(letter) {
    try {
      return await this.ask(letter.path, letter.body, true);
    } finally {
      this.waiting = this.waiting.filter((other) => other !== letter);
      this.keep();
    }
  }

  /** Return what the server replies, asked as often as it takes; `kept` says that something would be lost otherwise. */
  async ask(path, body, kept = false) {
    for (let failed = 0; ; failed += 1) {
      try {
        const reply = await call(this.token, path, body);
        this.tellTrouble(0, kept, "");
        return reply;
      } catch (trouble) {
        if (!(trouble instanceof Unreachable)) throw trouble;
        const seconds = WAITS[Math.min(failed, WAITS.length - 1)];
        this.tellTrouble(seconds, kept, trouble.message);
        await pause(seconds);
      }
    }
  }
}

/** Wait, but not longer than until the network is reported to be back. */
function pause(seconds) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, 1000 * seconds);
    addEventListener("online", () => (clearTimeout(timer), resolve()), { once: true });
  });
}
