// What is on its way: an answer or an undo in; the server's reply out, however often it has to be sent.
//
// It is sent under one id until the server has acknowledged it, so nothing is lost and nothing counts twice. It
// is kept over a reload of the page too.

import { call, Unreachable } from "./api.js";

const WAITS = [1, 2, 4];

export class Outbox {
  constructor(token, tellTrouble) {
    this.token = token;
    this.tellTrouble = tellTrouble;
    this.place = `penchant.outbox.${token}`;
  }

  /** What a reload interrupted, or null. */
  waiting() {
    try {
      return JSON.parse(sessionStorage.getItem(this.place));
    } catch {
      return null;
    }
  }

  /** Send a letter: a path, and a body with an id. */
  async deliver(letter) {
    sessionStorage.setItem(this.place, JSON.stringify(letter));
    const reply = await this.persist(() => call(this.token, letter.path, letter.body), true);
    sessionStorage.removeItem(this.place);
    return reply;
  }

  /** Ask for something that changes nothing, as often as it takes. */
  async fetch(path, body) {
    return this.persist(() => call(this.token, path, body), false);
  }

  async persist(attempt, kept) {
    for (let failed = 0; ; failed += 1) {
      try {
        return await attempt();
      } catch (trouble) {
        if (!(trouble instanceof Unreachable)) {
          sessionStorage.removeItem(this.place);
          throw trouble;
        }
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
