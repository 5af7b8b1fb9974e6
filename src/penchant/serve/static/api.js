// Requests to the server: a path, perhaps a body and a token in; its JSON out, or one of two kinds of trouble.

/** The server said no, in words, and will say so again. */
export class Refused extends Error {
  constructor(status, code, message) {
    super(message);
    Object.assign(this, { status, code });
  }
}

/** Nothing came back, or nothing of use: the same request may be sent again. */
export class Unreachable extends Error {}

const PATIENCE = 15_000;

export async function call(token, path, body) {
  const reply = await sent(token, path, body);
  const said = await reply.json().catch(() => null);
  if (reply.ok && said !== null) return said;
  if (reply.status >= 500 || said === null) throw new Unreachable(`status ${reply.status}`);
  throw new Refused(reply.status, said.error?.code, said.error?.message ?? "The server said no.");
}

async function sent(token, path, body) {
  const headers = { Authorization: `Bearer ${token}` };
  const asked = { headers, cache: "no-store", credentials: "omit", signal: AbortSignal.timeout(PATIENCE) };
  if (body !== undefined) {
    headers["Content-Type"] = "application/json";
    Object.assign(asked, { method: "POST", body: JSON.stringify(body) });
  }
  try {
    return await fetch(path, asked);
  } catch (trouble) {
    throw new Unreachable(String(trouble));
  }
}
