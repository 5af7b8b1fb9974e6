// A judge's page: keys and touches in; answers, and the next question before the reply to the last one, out.

import { call, Rejected } from "./api.js";
import { fill, follow } from "./cards.js";
import { Hand } from "./hand.js";
import { Keys } from "./keys.js";
import { openedLink } from "./link.js";
import { fingerprint, Memory, newId } from "./memory.js";
import { Outbox, persist } from "./outbox.js";
import { Pictures } from "./pictures.js";
import { needsLink, noLink, nothingToAsk, sentLate, thanks } from "./ends.js";

// Milliseconds for which a question must be in sight before it is answered: a key that bounces answers nothing, and
// neither does the second half of a double click, which comes later and on the same button.
const SETTLE = 200;
const SETTLE_SAME = 500;
// Questions in hand beyond the one that is shown: so many can be answered while the network is away.
const AHEAD = 3;
// Answers after which the page asks again how far the study is.
const LOOK_EVERY = 5;
const UNDONE = 50;

const at = (id) => document.getElementById(id);
const page = at("questions");
const SIDES = ["left", "right"];
const buttons = [...document.querySelectorAll("button[data-key]")];
const answers = buttons.filter(({ dataset }) => dataset.choice);

class Judge {
  constructor(token, memory) {
    Object.assign(this, { token, memory, question: null, study: null, answered: 0, goesOn: false, sent: 0, adopted: 0 });
    this.history = [];
    this.pictures = new Pictures(token);
    this.hand = new Hand(this.pictures);
    this.outbox = new Outbox(token, memory, {
      sent: (letter, reply) => this.wasSent(letter, reply),
      rejected: (letter, trouble) => this.wasRejected(letter, trouble),
      stopped: (trouble) => this.end(noLink(trouble, this.outbox.answers)),
      late: (seconds, why) => this.tellLate(seconds, why),
      changed: (letter) => this.changed(letter),
    });
    this.cards = SIDES.map((side) => follow(at(side), showSwitch));
    this.keys = new Keys(buttons, memory, (button) => this.press(button));
    for (const button of buttons) button.addEventListener("click", () => this.press(button));
    for (const side of SIDES) this.#listen(side);
    this.#listenToDialogs();
  }

  #listen(side) {
    at(side).addEventListener("click", (event) => {
      if (event.target.closest("button, [data-scrolls]") || String(getSelection())) return;
      this.press(answers.find(({ dataset }) => dataset.choice === side));
    });
    at(side).querySelector(".full").addEventListener("click", () => {
      fill(at("full"), this.question[side], this.pictures);
      at("full").showModal();
      at("full").querySelector(".card-body").scrollTop = 0;
    });
  }

  #listenToDialogs() {
    for (const dialog of document.querySelectorAll("dialog")) {
      dialog.querySelector(".close").addEventListener("click", () => dialog.close());
      dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
    }
    at("characters").checked = this.keys.characters;
    at("characters").addEventListener("change", (event) => (this.keys.characters = event.target.checked));
    at("go-on").addEventListener("click", () => ((this.goesOn = true), this.showNext()));
    for (const option of at("switch").children) option.addEventListener("click", () => showSide(option.dataset.side));
  }

  async begin() {
    const late = (seconds, why) => this.tellLate(seconds, why);
    try {
      this.study = await persist(() => call(this.token, "/v1/study"), late);
      if (this.study.role !== "judge" || this.study.kind !== "compare") return this.end(needsLink(this.study));
      this.adopted = this.outbox.adopt(await fingerprint(`${this.study.id} ${this.study.name}`));
      this.count(this.study.answered + this.outbox.balance);
      for (const { body } of this.outbox.letters) if (body.question) this.hand.done(body.question);
      showStudy(this.study);
      at("help").hidden = false;
      this.outbox.send();
      if (this.isDone()) return this.showNext();
      await this.refill();
      this.readFirst();
    } catch (trouble) {
      this.explain(trouble);
    }
  }

  /** Show the instructions once, and again where they have changed. */
  readFirst() {
    const { instructions } = this.study;
    if (!instructions || this.memory.get("read") === instructions || !this.question) return;
    this.memory.set("read", instructions);
    showAbout();
  }

  /** Ask for questions where few are in hand; the replies to answers bring them too. */
  async refill() {
    const ahead = this.ahead();
    const body = ahead ? { ahead } : {};
    const { ahead: others, ...first } = await persist(
      () => call(this.token, "/v1/questions", body),
      (seconds, why) => this.tellLate(seconds, why),
    );
    this.take([first, ...others]);
  }

  take(questions) {
    this.hand.take(questions, this.question);
    if (!this.question && at("end").hidden) this.showNext();
  }

  /** How many questions to reserve: none beyond the number of answers that was agreed. */
  ahead() {
    const left = this.study.answers_each && !this.goesOn ? this.study.answers_each - this.answered - 1 : AHEAD;
    return Math.max(0, Math.min(AHEAD, left));
  }

  // -- answering -----------------------------------------------------------------------------------------------

  press(button) {
    if (button.id === "help") return showAbout();
    if (page.dataset.state !== "ready" || !this.isPossible(button)) return;
    rest(button);
    if (button.id === "undo") return this.undo();
    const { id } = this.question;
    const answer = newId();
    this.history = [...this.history, { answer, question: this.question }].slice(-UNDONE);
    this.hand.done(id);
    this.question = null;
    this.count(this.answered + 1);
    this.showNext();
    this.outbox.put("/v1/answers", { id: answer, question: id, choice: button.dataset.choice, ahead: this.ahead() });
  }

  undo() {
    const last = this.history.pop();
    if (last) {
      if (this.question) this.hand.putBack(this.question);
      this.hand.open(last.question.id);
      this.count(this.answered - 1);
      this.show(last.question, "Taken back.");
      this.outbox.put("/v1/undo", { id: newId(), event: last.answer });
    } else {
      setBusy(true);
      this.outbox.put("/v1/undo", { id: newId() });
    }
  }

  isPossible(button) {
    if (button.id === "help") return true;
    return button !== resting && this.question !== null && (button.id !== "undo" || this.answered > 0);
  }

  // -- what the server says ------------------------------------------------------------------------------------

  wasSent(letter, reply) {
    tell(this.outbox.letters.length ? "" : sentLate(this.adopted));
    if (!this.outbox.letters.length) this.adopted = 0;
    if ("undo" in reply) {
      this.count(reply.question.answered + this.outbox.balance);
      if (letter.body.event) return;
      if (this.question) this.hand.putBack(this.question);
      this.hand.open(reply.question.id);
      this.show(reply.question, "Taken back.");
      return;
    }
    this.sent += 1;
    const open = [reply.next, ...reply.ahead].filter(Boolean);
    if (reply.next) this.count(reply.next.answered + this.outbox.balance);
    this.take(open);
    if (!at("end").hidden && this.isDone()) this.showNext(); // an answer may have been counted before it was sent again
    if (!reply.next && !this.question && !this.hand.size) this.end(nothingToAsk());
    if (this.sent % LOOK_EVERY === 0) this.look();
  }

  wasRejected(letter, trouble) {
    const { question, id } = letter.body;
    const elsewhere = trouble.code === "answered";
    const words = elsewhere ? "That pair was answered already, in another window: the first answer counts." : question ? trouble.message : "There is no answer of yours that can be taken back.";
    tell(words, "trouble");
    this.history = this.history.filter(({ answer }) => answer !== id); // what does not count cannot be taken back
    if (trouble.next) this.count(trouble.next.answered + this.outbox.balance);
    else if (question) this.count(Math.max(0, this.answered - 1));
    if (trouble.next) this.take([trouble.next]);
    if (this.question) settle();
    else if (!this.hand.size) this.refill().catch((other) => this.explain(other));
  }

  /** Ask how far the study is; it can wait. */
  look() {
    call(this.token, "/v1/study").then((study) => {
      this.study = study;
      showStudy(study);
      this.showProgress();
    }, () => {});
  }

  /** The letters changed: here (null), or in another tab, which has answered a question or sent an answer. */
  changed(letter) {
    page.dataset.waiting = this.outbox.letters.length;
    const id = letter?.body?.question;
    if (id) this.hand.done(id);
    if (id && id === this.question?.id) {
      this.question = null;
      this.count(this.answered + 1);
      this.showNext();
    }
  }

  explain(trouble) {
    if (!(trouble instanceof Rejected)) throw trouble;
    if (trouble.status === 401 || trouble.status === 403) return this.outbox.stop(trouble);
    if (trouble.code === "invalid") return this.end(nothingToAsk());
    tell(trouble.message, "trouble");
  }

  // -- showing -------------------------------------------------------------------------------------------------

  isDone() {
    const { answers_each: each, settled } = this.study;
    return !this.goesOn && ((each > 0 && this.answered >= each) || settled);
  }

  showNext() {
    if (this.isDone()) return this.end(thanks(this.study, this.answered), true);
    at("end").hidden = true;
    const next = this.hand.next();
    if (next) return this.show(next);
    this.question = null;
    setBusy(true);
    if (!this.outbox.letters.length) this.refill().catch((trouble) => this.explain(trouble));
  }

  show(question, spoken = "") {
    this.question = question;
    page.hidden = at("bottom").hidden = false;
    at("end").hidden = true;
    page.dataset.question = question.id;
    for (const side of SIDES) fill(at(side), question[side], this.pictures);
    showSide("both");
    for (const card of this.cards) card.restart();
    if (document.activeElement?.matches(".card-body")) document.activeElement.blur();
    at("judge-name").textContent = question.judge;
    at("who").hidden = false;
    at("spoken").textContent = `${spoken} Left: ${question.left.title}. Right: ${question.right.title}.`.trim();
    page.classList.remove("fresh");
    requestAnimationFrame(() => page.classList.add("fresh"));
    settle();
  }

  count(number) {
    this.answered = number;
    this.showProgress();
  }

  showProgress() {
    const { answers_each: each, needs } = this.study;
    const bar = at("bar");
    bar.hidden = !each;
    bar.max = each || 1;
    bar.value = Math.min(this.answered, each);
    const given = `${this.answered} ${this.answered === 1 ? "answer" : "answers"}`;
    const own = each ? `${Math.min(this.answered, each)} of your ${each} answers.` : `You have given ${given}.`;
    at("progress").textContent = this.answered ? `${own} ${needs}` : `Take your time: there is no wrong answer. ${needs}`;
    for (const button of buttons) setPossible(button);
  }

  /** Show words in place of the cards. */
  end({ heading, words }, mayGoOn = false) {
    this.question = null;
    at("end-heading").textContent = heading;
    at("end-words").textContent = words;
    at("go-on").hidden = !mayGoOn;
    page.hidden = at("bottom").hidden = true;
    at("loading").hidden = true;
    at("end").hidden = false;
    delete page.dataset.question;
    if (!mayGoOn) at("help").hidden = true;
    at("end-heading").focus();
  }

  tellLate(seconds, why) {
    const number = this.outbox.answers;
    const what = number > 1 ? `Your ${number} answers are` : number ? "Your answer is" : "What you took back is";
    const kept = `${what} kept here and will be sent. `;
    const cause = why ? "The server's disk is full" : "The server does not answer";
    tell(`${this.outbox.letters.length ? kept : ""}${cause}; trying again in ${seconds} s.`, "trouble");
  }
}

// -- the page ----------------------------------------------------------------------------------------------------

let judge = null;
let settling = 0;
let resting = null; // the button that was pressed last, for a moment
let rested = 0;

function tell(words, kind = "") {
  const notice = at("notice");
  notice.textContent = words;
  notice.dataset.kind = kind;
  notice.hidden = !words;
}

function setPossible(button) {
  const possible = judge?.isPossible(button) && (page.dataset.state === "ready" || button.id === "help");
  button.setAttribute("aria-disabled", String(!possible));
}

function setBusy(now) {
  clearTimeout(settling);
  page.dataset.state = now ? "busy" : "ready";
  page.setAttribute("aria-busy", String(now));
  for (const button of buttons) setPossible(button);
}

/** Let a button that was pressed do nothing for a moment. */
function rest(button) {
  clearTimeout(rested);
  resting = button;
  rested = setTimeout(() => {
    resting = null;
    setPossible(button);
  }, SETTLE_SAME);
}

/** Take no answer in the first moment of a question. */
function settle() {
  at("loading").hidden = true;
  setBusy(true);
  settling = setTimeout(() => setBusy(false), SETTLE);
}

function showStudy(study) {
  at("title").textContent = study.title;
  document.title = `${study.title} · Penchant`;
  if (study.question) at("question").textContent = study.question;
  at("instructions").textContent = study.instructions;
  at("instructions").hidden = !study.instructions;
}

/** Open the instructions at their start: the focus is on the button at their end. */
function showAbout() {
  at("about").showModal();
  at("about").scrollTop = 0;
}

/** Offer to look at one item at a time where one of them is longer than its card. */
function showSwitch() {
  const long = SIDES.some((side) => at(side).hasAttribute("data-long"));
  page.toggleAttribute("data-long", long || page.dataset.side !== "both");
}

function showSide(side) {
  page.dataset.side = side;
  for (const option of at("switch").children) option.setAttribute("aria-pressed", String(option.dataset.side === side));
  showSwitch();
}

async function open() {
  const { token } = openedLink();
  const memory = await Memory.of(token);
  judge = new Judge(token, memory);
  if (!token) return judge.end(noLink(null, 0));
  return judge.begin();
}

open();
