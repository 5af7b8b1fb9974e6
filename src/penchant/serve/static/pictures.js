// Pictures of items: the name of a picture in; the address of its bytes in this page out. No address holds a token.

const KEPT = 24;

export class Pictures {
  #addresses = new Map();

  constructor(token) {
    this.token = token;
  }

  /** Begin to fetch the pictures of a question before it is shown. */
  fetch(question) {
    for (const { picture } of [question.left, question.right]) if (picture) this.address(picture).catch(() => {});
  }

  /** Return a promise of the address, the same one while the picture is kept. */
  address(picture) {
    const found = this.#addresses.get(picture) ?? this.#fetched(picture);
    this.#addresses.delete(picture);
    this.#addresses.set(picture, found); // the last one used is the last to go
    if (this.#addresses.size > KEPT) this.#drop(this.#addresses.keys().next().value);
    return found;
  }

  async #fetched(picture) {
    try {
      const headers = { Authorization: `Bearer ${this.token}` };
      const reply = await fetch(`/v1/pictures/${encodeURIComponent(picture)}`, { headers, cache: "no-store", credentials: "omit" });
      if (!reply.ok) throw new Error("no picture");
      return URL.createObjectURL(await reply.blob());
    } catch (trouble) {
      this.#addresses.delete(picture); // it is tried again when it is needed again
      throw trouble;
    }
  }

  #drop(picture) {
    this.#addresses.get(picture).then(URL.revokeObjectURL, () => {});
    this.#addresses.delete(picture);
  }
}
