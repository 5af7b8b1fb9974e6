// Weights in words and as bars: the weights of a model and the items in; a sentence and table rows out.

const SVG = "http://www.w3.org/2000/svg";
const NAMED = 3;
const DRAWN = 8;
const LEAST = 0.3; // of the largest: what counts for less is not named

/** Return the features that change an order most, the first first: a name, the weight, and what it comes to. */
export function influences(weights, items) {
  const rows = Object.entries(weights).map(([name, weight]) => ({
    name: named(name),
    weight,
    influence: weight * items.spread(name),
  }));
  return rows
    .filter((row) => Math.abs(row.influence) > 1e-9)
    .sort((one, other) => Math.abs(other.influence) - Math.abs(one.influence));
}

/** A category is named by its value: "kind=guide" is "guide". */
const named = (feature) => feature.slice(feature.indexOf("=") + 1) || feature;

/** Return what somebody likes, and what less, in a sentence; "" where nothing was learned. */
export function sentence(rows, likes = "You like", avoids = "less so") {
  if (!rows.length) return "";
  const most = Math.abs(rows[0].influence);
  const matter = rows.filter((row) => Math.abs(row.influence) >= LEAST * most);
  const [up, down] = [1, -1].map((sign) =>
    listed(matter.filter((row) => sign * row.influence > 0).slice(0, NAMED).map((row) => row.name)));
  if (!up) return `${likes} anything but ${down}.`;
  return down ? `${likes} ${up}; ${avoids} ${down}.` : `${likes} ${up}.`;
}

function listed(names) {
  return names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)}` : (names[0] ?? "");
}

/** Return a table row for each of the features that matter most. */
export function weightRows(rows) {
  const most = Math.abs(rows[0]?.influence ?? 1);
  return rows.slice(0, DRAWN).map((row) => {
    const made = document.createElement("tr");
    const head = document.createElement("th");
    Object.assign(head, { scope: "row", dir: "auto", textContent: row.name });
    const drawn = document.createElement("td");
    drawn.append(bar(row.influence / most));
    const number = document.createElement("td");
    Object.assign(number, { className: "number", textContent: signed(row.weight) });
    made.append(head, drawn, number);
    return made;
  });
}

const signed = (weight) => `${weight < 0 ? "−" : "+"}${Math.abs(weight).toPrecision(3)}`;

/** A bar from the middle: to the right for what is liked. */
function bar(share) {
  const svg = shape("svg", { class: "weight", "aria-hidden": "true" });
  const width = 49 * Math.abs(share);
  const x = share > 0 ? 50 : 50 - width;
  svg.append(
    shape("line", { x1: "50%", x2: "50%", y1: 0, y2: "100%" }),
    shape("rect", { class: share > 0 ? "likes" : "avoids", x: `${x}%`, y: "20%", width: `${width}%`, height: "60%", rx: 2 }),
  );
  return svg;
}

export function shape(name, attributes, text = "") {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.textContent = text;
  return made;
}
