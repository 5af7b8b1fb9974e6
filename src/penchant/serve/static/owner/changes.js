// The stream of changes, read with the token in a header: each message out, and again from where it was cut.

const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 15_000;
const SILENCE = 45_000; // the server sends a comment every 15 seconds

export class Changes {
  /** `changed(kinds)` is called with the kinds of new events, `state(words)` when the connection comes or goes. */
  constructor(token, changed, state) {
    Object.assign(this, { token, changed, state, last: null, pause: FIRST_PAUSE, ended: false });
  }

  async follow() {
    while (!this.ended) {
      const status = await this.read().catch(() => 0);
      if (status === 401 || status === 403) return this.state("rejected");
      this.state("cut");
      await new Promise((resolve) => setTimeout(resolve, this.pause * (0.5 + Math.random() / 2)));
      this.pause = Math.min(2 * this.pause, LONGEST_PAUSE);
    }
  }

  async read() {
    const gone = new AbortController();
    const headers = { Authorization: `Bearer ${this.token}` };
    if (this.last !== null) headers["Last-Event-ID"] = this.last;
    const reply = await fetch("/v1/changes", { headers, cache: "no-store", credentials: "omit", signal: gone.signal });
    if (!reply.ok) return reply.status;
    let timer = setTimeout(() => gone.abort(), SILENCE);
    const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
    this.state("open");
    for (let text = ""; ; ) {
      const { value, done } = await reader.read();
      if (done) return 0;
      clearTimeout(timer);
      timer = setTimeout(() => gone.abort(), SILENCE);
      this.pause = FIRST_PAUSE;
      text += value;
      const messages = text.split("\n\n");
      text = messages.pop();
      for (const message of messages) this.take(message);
    }
  }

  take(message) {
    const fields = new Map(message.split("\n").map((line) => [line.split(":", 1)[0], line.slice(line.indexOf(":") + 2)]));
    if (!fields.has("data")) return;
    // The first message names no kinds: what was asked for before the stream began may have changed since.
    if (fields.has("id")) this.last = fields.get("id");
    this.changed(JSON.parse(fields.get("data")).kinds);
  }
}
