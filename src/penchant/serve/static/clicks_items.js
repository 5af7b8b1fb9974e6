// The items of a study: what is learned from in them, which of them a search finds, and how far their features differ.

export const MOST = 12;
const SUGGESTED = 8;

const wordsOf = (text) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

export class Items {
  constructor(listed, settings) {
    this.all = listed.filter((item) => !item.retired);
    this.byId = new Map(this.all.map((item) => [item.id, item]));
    this.features = settings.features ?? numbersOf(this.all);
    this.scaling = settings.scaling ?? {};
    this.spreads = new Map();
  }

  /** Return the ids that match most words of a query, in the order of their match; all are equal without words. */
  found(query) {
    const wanted = wordsOf(query);
    if (!wanted.length) return this.drawn();
    const matches = this.all.map((item) => ({ id: item.id, count: matched(wanted, this.words(item)) }));
    const some = matches.filter((match) => match.count > 0).sort((one, other) => other.count - one.count);
    return some.slice(0, MOST).map((match) => match.id);
  }

  /** Return the ids of a dozen items at random, or of all where there are fewer. */
  drawn() {
    const left = this.all.map((item) => item.id);
    if (left.length <= MOST) return left;
    return Array.from({ length: MOST }, () => left.splice(Math.floor(Math.random() * left.length), 1)[0]);
  }

  words(item) {
    const fields = Object.values(item.fields).filter((value) => typeof value === "string");
    return wordsOf([item.title, item.text, ...fields].join(" "));
  }

  /** Return searches to begin with: the values of the feature in words that has most of them. */
  suggestions() {
    const named = this.features.map((name) => [...new Set(this.all.map((item) => item.fields[name]).filter(isWord))]);
    const few = named.filter((values) => values.length > 1 && values.length <= SUGGESTED);
    return few.sort((one, other) => other.length - one.length)[0] ?? [];
  }

  /** Return an item's fields in words: categories, and numbers that are not learned from where there are any. */
  facts(item) {
    const entries = Object.entries(item.fields).filter(([, value]) => value !== null && value !== "");
    const numbers = entries.filter(([, value]) => typeof value !== "string");
    const plain = numbers.filter(([name]) => !this.features.includes(name));
    const shown = (plain.length ? plain : numbers).map(([name, value]) => `${name} ${value}`);
    return [...entries.filter(([, value]) => isWord(value)).map(([, value]) => value), ...shown];
  }

  /** Return by how much a feature differs among the items: what a weight has to be multiplied with to be compared. */
  spread(name) {
    if (!this.spreads.has(name)) this.spreads.set(name, this.spreadOf(name));
    return this.spreads.get(name);
  }

  spreadOf(name) {
    const values = this.all.map((item) => Number(item.fields[name])).filter(Number.isFinite);
    if (!values.length) return 1; // an indicator of a category
    const width = values.reduce((most, value) => Math.max(most, value), -Infinity)
      - values.reduce((least, value) => Math.min(least, value), Infinity);
    return width / (this.scaling[name]?.[1] ?? 1);
  }
}

const isWord = (value) => typeof value === "string" && value !== "" && !Number.isFinite(Number(value));

function numbersOf(items) {
  const names = new Set(items.flatMap((item) => Object.keys(item.fields)));
  return [...names].filter((name) => items.some((item) => Number.isFinite(Number(item.fields[name] ?? NaN))));
}

/** Count the wanted words that begin a word; of a plural the singular does too. */
function matched(wanted, words) {
  const stems = wanted.map((word) => (word.length > 3 && word.endsWith("s") ? word.slice(0, -1) : word));
  return stems.filter((stem) => words.some((word) => word.startsWith(stem))).length;
}
