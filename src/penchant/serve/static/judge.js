// A judge's page: keys and touches in; answers sent one at a time, and the next question shown, out.

import { Rejected } from "./api.js";
import { openedLink } from "./link.js";
import { Outbox } from "./outbox.js";
import { showTitle } from "./title.js";

// A key that bounces, or is pressed twice, must not answer a question that nobody has read.
const SETTLE = 200;
// Characters from which a text reads better with its lines beginning below one another.
const LONG = 160;

const at = (id) => document.getElementById(id);
const page = at("questions");
const buttons = [...document.querySelectorAll("button[data-key]")];
const link = openedLink();
const outbox = new Outbox(link.token, tellTrouble);
let question = null;
let busy = true;

function tell(words, kind = "") {
  const notice = at("notice");
  notice.textContent = words;
  notice.dataset.kind = kind;
  notice.hidden = !words;
}

function tellTrouble(seconds, kept, why) {
  const what = kept ? "Your answer is kept here and will be sent. " : "";
  const cause = why ? "The server's disk is full" : "The server does not answer";
  tell(`${what}${cause}; trying again in ${seconds} s.`, "trouble");
}

function setBusy(now) {
  busy = now;
  page.dataset.state = now ? "busy" : "ready";
  page.setAttribute("aria-busy", String(now));
  for (const button of buttons) button.setAttribute("aria-disabled", String(now || !isPossible(button)));
}

function isPossible(button) {
  return question !== null && (button.id !== "undo" || question.answered > 0);
}

function fill(side, item) {
  const card = at(side);
  card.querySelector(".card-title").textContent = item.title;
  card.querySelector(".card-text").textContent = item.text;
  card.querySelector(".card-text").classList.toggle("long", item.text.length > LONG);
}

function show(asked, spoken = "") {
  if (asked === null) return showEnd();
  question = asked;
  page.dataset.question = asked.id;
  fill("left", asked.left);
  fill("right", asked.right);
  mark(null);
  at("who").textContent = `answering as ${asked.judge}`;
  at("progress").textContent = asked.progress;
  at("spoken").textContent = `${spoken} Left: ${asked.left.title}. Right: ${asked.right.title}.`.trim();
  page.classList.remove("fresh");
  requestAnimationFrame(() => page.classList.add("fresh"));
}

/** There is nothing to ask now: say so, without cards. */
function showEnd() {
  question = null;
  page.hidden = true;
  tell("Thank you: there is nothing to ask now.");
}

function mark(choice) {
  for (const side of ["left", "right"]) at(side).classList.toggle("chosen", choice === side);
  for (const button of buttons) button.classList.toggle("pressed", choice !== null && button.dataset.choice === choice);
}

/** Do one thing with the server at a time; afterwards show a question, or say in words why there is none. */
async function turn(work) {
  setBusy(true);
  try {
    await work();
    if (question) tell("");
  } catch (trouble) {
    await explain(trouble);
  }
  setTimeout(() => setBusy(false), SETTLE);
}

async function explain(trouble) {
  mark(null);
  if (!(trouble instanceof Rejected)) throw trouble;
  tell(trouble.message, "trouble");
  if (trouble.status === 401 || trouble.status === 403) return;
  if (trouble.code === "answered") show(trouble.next ?? null);
  else if (trouble.status === 409 || trouble.status === 404) await next().catch(explain);
}

async function next() {
  show(await outbox.fetch("/v1/questions", {}));
}

async function deliver(letter) {
  const reply = await outbox.deliver(letter);
  if ("next" in reply) show(reply.next);
  else show(reply.question, "Taken back.");
}

function letterOf(button) {
  const id = crypto.randomUUID();
  if (button.id === "undo") return { path: "/v1/undo", body: { id } };
  return { path: "/v1/answers", body: { id, question: question.id, choice: button.dataset.choice } };
}

function press(button) {
  if (busy || !isPossible(button)) return;
  mark(button.dataset.choice ?? "undo");
  turn(() => deliver(letterOf(button)));
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const button = buttons.find((one) => one.dataset.key === key);
  if (!button) return;
  event.preventDefault();
  if (!event.repeat) press(button);
});

for (const button of buttons) button.addEventListener("click", () => press(button));

async function begin() {
  const waiting = outbox.waiting();
  await (waiting ? deliver(waiting) : next());
}

if (link.token) {
  if (!at("title").textContent) showTitle(link.token).catch(() => {});
  turn(begin);
} else tell("Open the link that you were given: this address alone does not say who you are.", "trouble");
