// Requests to the server: a path, perhaps a body and a token in; its JSON out, or one of two kinds of trouble.

/** The server rejected the request and will do so again; `next` is a question that came with the rejection. */
export class Rejected extends Error {
  constructor(status, body) {
    super(body.error ? `${body.error.message}: ${body.error.hint}.` : "The server rejected this.");
    Object.assign(this, { status, code: body.error?.code, next: body.next });
  }
}

/** Nothing came back, or the server could not do it now: the same request may be sent again. */
export class Unreachable extends Error {}

const PATIENCE = 15_000;

export async function call(token, path, body, method = "POST", patience = PATIENCE) {
  const reply = await sent(token, path, body, method, patience);
  const content = await reply.json().catch(() => null);
  if (reply.ok && content !== null) return content;
  if (reply.status >= 500 || reply.status === 429 || content === null) {
    throw new Unreachable(reply.status === 507 ? content?.error?.message : "");
  }
  throw new Rejected(reply.status, content);
}

async function sent(token, path, body, method, patience) {
  const headers = { Authorization: `Bearer ${token}` };
  const asked = { headers, cache: "no-store", credentials: "omit", signal: AbortSignal.timeout(patience) };
  if (body !== undefined) {
    headers["Content-Type"] = "application/json";
    Object.assign(asked, { method, body: JSON.stringify(body) });
  }
  try {
    return await fetch(path, asked);
  } catch (trouble) {
    throw new Unreachable("");
  }
}
