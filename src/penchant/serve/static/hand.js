// The questions that a judge can be shown without waiting: those that the server has reserved in; the next one out.

const REMEMBERED = 100;

export class Hand {
  #questions = [];
  #done = [];

  constructor(pictures) {
    this.pictures = pictures;
  }

  get size() {
    return this.#questions.length;
  }

  /** Add questions that are neither here, nor shown (`current`), nor answered from this browser. */
  take(questions, current) {
    for (const question of questions) {
      const known = question.id === current?.id || this.#done.includes(question.id) ||
        this.#questions.some(({ id }) => id === question.id);
      if (known) continue;
      this.#questions.push(question);
      this.pictures.fetch(question);
    }
  }

  next() {
    return this.#questions.shift() ?? null;
  }

  /** Put a question back in front. */
  putBack(question) {
    this.open(question.id);
    this.#questions.unshift(question);
  }

  /** This question is answered, here or in another tab. */
  done(id) {
    this.#done = [...this.#done, id].slice(-REMEMBERED);
    this.#questions = this.#questions.filter((question) => question.id !== id);
  }

  /** This question is open again. */
  open(id) {
    this.#done = this.#done.filter((other) => other !== id);
    this.#questions = this.#questions.filter((question) => question.id !== id);
  }
}
