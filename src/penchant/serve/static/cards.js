// The two items of a question: what the server says of an item in; a card that can be read to its end out.

const SHORT_TITLE = 28;
const LONG_TITLE = 90;
// Characters from which a text reads better with its lines beginning below one another.
const LONG_TEXT = 160;
const EDGE = 2;

/** Put an item into `root`, a card or the page that shows one in full. */
export function fill(root, item, pictures) {
  const title = root.querySelector(".card-title");
  title.textContent = item.title;
  const length = item.title.length;
  title.dataset.length = length <= SHORT_TITLE ? "short" : length <= LONG_TITLE ? "medium" : "long";
  const text = root.querySelector(".card-text");
  text.textContent = item.text;
  text.classList.toggle("code", item.format === "code");
  text.classList.toggle("long", item.text.length > LONG_TEXT || item.text.includes("\n"));
  fillFields(root.querySelector(".card-fields"), item.fields);
  fillPicture(root.querySelector(".card-picture"), item, pictures);
}

function fillFields(table, fields) {
  table.replaceChildren(...Object.entries(fields).map(([name, value]) => {
    const row = document.createElement("tr");
    row.append(cell("th", name), cell("td", typeof value === "boolean" ? (value ? "yes" : "no") : String(value)));
    row.firstChild.scope = "row";
    return row;
  }));
  table.hidden = !table.rows.length;
}

function cell(kind, words) {
  const made = document.createElement(kind);
  made.textContent = words;
  made.dir = "auto";
  return made;
}

/** The room for a picture is there before it has come: nothing moves when it does. */
function fillPicture(frame, item, pictures) {
  frame.replaceChildren();
  frame.hidden = !item.picture;
  if (!item.picture) return;
  const [width, height] = item.size;
  frame.style.setProperty("--width", width);
  frame.style.setProperty("--height", height);
  const image = document.createElement("img");
  Object.assign(image, { width, height, alt: `Picture of ${item.title}` });
  frame.append(image);
  pictures.address(item.picture).then(
    (address) => (image.src = address),
    () => image.replaceWith(Object.assign(document.createElement("span"), { textContent: "The picture could not be loaded." })),
  );
}

/** Let the body of a card say whether it scrolls, which makes it reachable by keyboard, and where it goes on. */
export function follow(card, changed) {
  const body = card.querySelector(".card-body");
  const look = () => {
    const below = body.scrollHeight - body.clientHeight;
    const scrolls = below > EDGE || body.scrollWidth - body.clientWidth > EDGE;
    card.toggleAttribute("data-long", scrolls);
    body.toggleAttribute("data-scrolls", scrolls);
    body.toggleAttribute("data-above", scrolls && body.scrollTop > EDGE);
    body.toggleAttribute("data-below", scrolls && below - body.scrollTop > EDGE);
    if (scrolls) Object.assign(body, { tabIndex: 0, role: "region" });
    else for (const name of ["tabindex", "role"]) body.removeAttribute(name);
    changed();
  };
  body.addEventListener("scroll", look, { passive: true });
  new ResizeObserver(look).observe(body);
  return { look, restart: () => ((body.scrollTop = body.scrollLeft = 0), look()) };
}
