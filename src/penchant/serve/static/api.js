// Requests to the server: a path, perhaps a body and a token in; its JSON out, or one of two kinds of trouble.

/** The server rejected the request and will do so again; `next` is a question that came with the rejection. */
export class Refused extends Error {
  constructor(status, said) {
    super(said.error?.message ?? "The server rejected this.");
    Object.assign(this, { status, code: said.error?.code, next: said.next });
  }
}

/** EmptyBody came back, or the server could not do it now: the same request may be sent again. */
export class Unreachable extends Error {}

const PATIENCE = 15_000;

export async function call(token, path, body, method = "POST") {
  const reply = await sent(token, path, body, method);
  const said = await reply.json().catch(() => null);
  if (reply.ok && said !== null) return said;
  if (reply.status >= 500 || said === null) throw new Unreachable(reply.status === 507 ? said?.error?.message : "");
  throw new Refused(reply.status, said);
}

async function sent(token, path, body, method) {
  const headers = { Authorization: `Bearer ${token}` };
  const asked = { headers, cache: "no-store", credentials: "omit", signal: AbortSignal.timeout(PATIENCE) };
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
