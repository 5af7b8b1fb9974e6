// What is on its way: answers and undos in; the server's replies out, in their order, however often they have to be sent.
//
// Each is sent under one id until the server has acknowledged it, so nothing is lost and nothing counts twice. They are
// kept in the browser's storage, over reloads and restarts; whichever tab of this link is open sends them, one at a time.

import { call, Rejected, Unreachable } from "./api.js";

const WAITS = [1, 2, 4, 8, 15];
const LETTER = "letter.";
const DIGITS = 14;
const WHO = "who";

export class Outbox {
  /** `told` has sent(letter, reply), rejected(letter, trouble), stopped(trouble), late(seconds, why) and changed(). */
  constructor(token, memory, told) {
    Object.assign(this, { token, memory, told });
    this.sending = null;
    memory.watch((name, letter) => name.startsWith(LETTER) && told.changed(letter));
  }

  /** The letters that are not acknowledged yet, the first one first: each a path, and a body with an id. */
  get letters() {
    return this.memory.names(LETTER).map((name) => this.memory.get(name)).filter(Boolean);
  }

  /** How many answers wait to be sent and are not taken back by a letter behind them. */
  get answers() {
    const { letters } = this;
    const undone = new Set(letters.map(({ body }) => body.event));
    return letters.filter(({ body }) => body.question && !undone.has(body.id)).length;
  }

  /** By how much the letters will change the number of answers that the server has. */
  get balance() {
    return this.letters.reduce((sum, { body }) => sum + (body.question ? 1 : -1), 0);
  }

  put(path, body) {
    const names = this.memory.names(LETTER);
    // A name of its own for each letter: two tabs that write at once overwrite nothing.
    const last = Number(names.at(-1)?.slice(LETTER.length, LETTER.length + DIGITS) ?? 0);
    const time = String(Math.max(Date.now(), last + 1)).padStart(DIGITS, "0");
    this.memory.set(`${LETTER}${time}.${body.id}`, { path, body });
    this.told.changed(null);
    this.send();
  }

  /** Take over what other links of the same judge of the same study (`who`) have not sent; return how many answers.
   *
   * A link that was replaced sends nothing any more. The server checks each question: a judge answers only their own. */
  adopt(who) {
    this.memory.set(WHO, who);
    const before = this.answers;
    for (const other of this.memory.others()) {
      if (other.get(WHO) !== who) continue;
      for (const name of other.names(LETTER)) {
        const letter = other.get(name);
        // What names neither a question nor an answer takes back the last answer, which may be another one by now.
        if (letter?.body?.question || letter?.body?.event) this.memory.set(name, letter);
        other.remove(name);
      }
    }
    return this.answers - before;
  }

  /** Send all letters; there is one sender in this tab. */
  send() {
    this.sending ??= this.#sendAll().finally(() => {
      this.sending = null;
      if (!this.stopped && this.memory.names(LETTER).length) this.send();
    });
    return this.sending;
  }

  async #sendAll() {
    for (let failed = 0; !this.stopped && this.memory.names(LETTER).length; ) {
      try {
        await exclusively(this.memory.prefix, () => this.#sendFirst());
        failed = 0;
      } catch (trouble) {
        if (!(trouble instanceof Unreachable)) throw trouble;
        const seconds = WAITS[Math.min(failed, WAITS.length - 1)];
        failed += 1;
        this.told.late(seconds, trouble.message);
        await pause(seconds);
      }
    }
  }

  async #sendFirst() {
    const [name] = this.memory.names(LETTER);
    const letter = name && this.memory.get(name);
    if (!letter) return name && this.memory.remove(name); // another tab was faster, or it cannot be read
    try {
      const reply = await call(this.token, letter.path, letter.body);
      this.memory.remove(name);
      this.told.sent(letter, reply);
    } catch (trouble) {
      if (!(trouble instanceof Rejected)) throw trouble;
      if (trouble.status === 401 || trouble.status === 403) return this.stop(trouble);
      this.memory.remove(name);
      this.told.rejected(letter, trouble);
    }
    this.told.changed(null);
  }

  /** The link does not work any more: what is left stays in the storage. */
  stop(trouble) {
    this.stopped = true;
    this.told.stopped(trouble);
  }
}

/** Ask for something, as often as it takes; `late` is told before each pause. */
export async function persist(attempt, late) {
  for (let failed = 0; ; failed += 1) {
    try {
      return await attempt();
    } catch (trouble) {
      if (!(trouble instanceof Unreachable)) throw trouble;
      const seconds = WAITS[Math.min(failed, WAITS.length - 1)];
      late(seconds, trouble.message);
      await pause(seconds);
    }
  }
}

/** Do `work` while no other tab of the same link does; where there are no locks, ids keep letters from counting twice. */
function exclusively(name, work) {
  return navigator.locks ? navigator.locks.request(name, work) : work();
}

/** Wait, but not longer than until the network is reported to be back. */
function pause(seconds) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, 1000 * seconds);
    addEventListener("online", () => (clearTimeout(timer), resolve()), { once: true });
  });
}
