// Judges and links: who answers, how fast and how well; links made, replaced and revoked.

import { newId } from "../memory.js";
import { ago, at, h, number, percent, replace, svg, table, twice } from "./dom.js";
import { linkCard } from "./links.js";

const PATIENCE = 120_000;
const ROLES = { reader: "A reader, who looks", app: "An app, which presents", owner: "Another owner" };

/** A share between 0 and 1 as a dot on a line, with a mark where it is usual. */
function share(value, usual, label) {
  if (value === null) return h("span", { class: "soft" }, "–");
  const picture = svg(
    "svg",
    { class: "share", "aria-hidden": "true" },
    svg("line", { class: "track", x1: 0, x2: "100%", y1: "50%", y2: "50%" }),
    svg("line", { class: "goal", x1: `${100 * usual}%`, x2: `${100 * usual}%`, y1: "15%", y2: "85%" }),
    svg("circle", { class: "dot", cx: `${4 + 92 * value}%`, cy: "50%", r: 3.5 }),
  );
  return h("span", { class: "shared", title: label }, picture, percent(value));
}

export function openPeople(panel, page) {
  const judged = page.study.kind === "compare";
  const parts = {
    links: h("ul", { id: "links", class: "cards" }),
    judges: h("div", { id: "judge-table" }),
    tokens: h("div", { id: "token-table" }),
  };
  const reliability = new Map();

  /** Return whether the link was made. */
  async function make(event, path, body, name) {
    event?.preventDefault();
    let made = null;
    await page.attempt(async () => {
      made = await page.call(path, body);
      parts.links.prepend(linkCard({ ...made, name: made.judge ?? made.name ?? name }));
      if (event) event.target.reset();
      await refresh();
    });
    return made !== null;
  }

  const judgeForm = h(
    "form",
    { id: "judges", class: "line", autocomplete: "off", onsubmit: (event) => make(event, "/v1/judges", { name: at("name").value }) },
    h("div", { class: "field" }, h("label", { for: "name" }, "Name"), h("input", { id: "name", name: "name", maxlength: 100, required: true })),
    h("button", { type: "submit", class: "primary" }, "Make a link"),
  );
  const role = h("select", { id: "role", "aria-label": "What the link is for" }, Object.entries(ROLES).map(([value, words]) => h("option", { value }, words)));
  const otherForm = h(
    "form",
    { id: "others", class: "line", autocomplete: "off", onsubmit: (event) => make(event, "/v1/tokens", { role: role.value, name: at("other-name").value }) },
    role,
    h("div", { class: "field" }, h("label", { for: "other-name" }, "Name"), h("input", { id: "other-name", maxlength: 100, required: true })),
    h("button", { type: "submit" }, "Make a link"),
  );

  async function revoke(tokens) {
    await page.attempt(async () => {
      for (const token of tokens) {
        await page.call(`/v1/tokens/${encodeURIComponent(token.id)}`, {}, "DELETE");
        parts.links.querySelector(`[data-token="${CSS.escape(token.id)}"]`)?.remove();
      }
      await refresh();
    });
  }

  /** The old link works until there is a new one. */
  async function replaceLink(name, old) {
    if (await make(null, "/v1/judges", { name }, name)) await revoke(old);
  }

  async function setAside(name, aside) {
    await page.attempt(async () => {
      await page.call(`/v1/judges/${encodeURIComponent(name)}`, { id: newId(), aside }, "PATCH");
      await refresh();
    });
  }

  function judgeRow(name, activity, tokens, most) {
    const known = reliability.get(name);
    const trust = known ? h("span", { title: "1 is the average judge, 0 answers at random" }, `${number(known.reliability)} ± ${number(known.reliability_error)}`) : "–";
    const actions = [
      h("button", { type: "button", class: "plain", "data-key": `new ${name}`, "aria-label": `New link for ${name}`, onclick: () => replaceLink(name, tokens) }, tokens.length ? "Replace link" : "New link"),
      tokens.length ? twice(`revoke ${name}`, "Revoke", `Revoke the link of ${name}`, () => revoke(tokens)) : null,
      activity && h("button", { type: "button", class: "plain", "data-key": `aside ${name}`, "aria-label": `${activity.aside ? "Take back" : "Set aside"} ${name}`, onclick: () => setAside(name, !activity.aside) }, activity.aside ? "Take back" : "Set aside"),
    ];
    const bar = svg("svg", { class: "amount", "aria-hidden": "true" }, svg("rect", { class: "fill", x: 0, y: "25%", height: "50%", rx: 2, width: `${(100 * (activity?.answers ?? 0)) / most}%` }));
    return h(
      "tr",
      { class: activity?.aside ? "aside" : null, "data-judge": name },
      h("th", { scope: "row", dir: "auto", class: "name" }, name, activity?.aside ? h("span", { class: "finding" }, "set aside") : known?.finding ? h("span", { class: "finding" }, known.finding) : null),
      h("td", { class: "number", "data-label": "answers" }, h("span", { class: "shared" }, bar, String(activity?.answers ?? 0))),
      h("td", { class: "number", "data-label": "pace" }, activity?.seconds != null ? `${activity.seconds < 10 ? activity.seconds.toFixed(1) : Math.round(activity.seconds)} s` : "–"),
      h("td", { class: "number", "data-label": "agrees" }, share(activity?.agreement ?? null, 0.5, "of decided answers agree with the ranking")),
      h("td", { class: "number", "data-label": "left" }, share(activity?.left_share ?? null, 0.5, "of decided answers are left")),
      h("td", { class: "number", "data-label": "repeats" }, activity?.repeats ? `${activity.repeats_same} of ${activity.repeats}` : "–"),
      h("td", { class: "number", "data-label": "reliability" }, trust),
      h("td", { "data-label": "last" }, activity ? ago(activity.last) : "–"),
      h("td", { class: "actions" }, actions),
    );
  }

  function showJudges(activities, tokens) {
    const links = Map.groupBy ? Map.groupBy(tokens, (token) => token.name) : grouped(tokens);
    const names = [...new Set([...activities.map((each) => each.judge), ...tokens.map((token) => token.name)])];
    const most = Math.max(1, ...activities.map((each) => each.answers));
    const found = new Map(activities.map((each) => [each.judge, each]));
    const columns = [["Judge", "name"], ["Answers", "number"], ["Pace", "number"], ["Agrees", "number"], ["Left", "number"], ["Repeats", "number"], ["Reliability", "number"], ["Last answer", ""], [h("span", { class: "unseen" }, "What to do"), ""]];
    const rows = names.map((name) => judgeRow(name, found.get(name), links.get(name) ?? [], most));
    replace(parts.judges, names.length ? table(columns, rows, { class: "people" }) : h("p", { class: "soft" }, "Nobody has a link yet."));
  }

  function showTokens(tokens) {
    const rows = tokens.map((token) =>
      h(
        "tr",
        {},
        h("th", { scope: "row", dir: "auto", class: "name" }, token.name),
        h("td", {}, token.role),
        h("td", { "data-label": "made" }, ago(token.made)),
        h("td", { "data-label": "used" }, ago(token.used)),
        h("td", { class: "actions" }, twice(`revoke ${token.id}`, "Revoke", `Revoke the link of ${token.name}`, () => revoke([token]))),
      ),
    );
    const columns = [["Name", "name"], ["Role", ""], ["Made", ""], ["Last used", ""], [h("span", { class: "unseen" }, "Revoke"), ""]];
    replace(parts.tokens, rows.length ? table(columns, rows, { class: "people" }) : []);
  }

  async function refresh() {
    const [tokens, activities] = await Promise.all([page.call("/v1/tokens"), judged ? page.call("/v1/activity") : { judges: [] }]);
    if (judged) showJudges(activities.judges, tokens.filter((token) => token.role === "judge").reverse());
    showTokens(tokens.filter((token) => !judged || token.role !== "judge").reverse());
    return activities.judges;
  }

  async function opened() {
    const activities = await refresh();
    if (!activities.length) return;
    const found = await page.call("/v1/judges", undefined, "GET", PATIENCE).catch(() => ({ judges: [] })); // it fits a model: once, when this is opened
    for (const row of found.judges) reliability.set(row.judge, row);
    await refresh();
  }

  const words = "Each judge answers under a link of their own; whoever holds it answers in that name.";
  panel.replaceChildren(
    ...(judged ? [h("p", {}, words), judgeForm] : [h("p", {}, "Apps present orders and send clicks with a link of their own.")]),
    parts.links,
    judged ? parts.judges : "",
    h("details", { id: "manage", open: !judged }, h("summary", {}, judged ? "Other links: readers, apps, owners" : "Links"), otherForm, parts.tokens),
  );
  return { refresh: opened, changed: refresh, kinds: ["answered", "undone", "imported", "set_aside", "taken_back"] };
}

function grouped(tokens) {
  const found = new Map();
  for (const token of tokens) found.set(token.name, [...(found.get(token.name) ?? []), token]);
  return found;
}
