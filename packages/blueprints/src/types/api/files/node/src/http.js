/** A refusal that the caller is told about, with its reason. */
export class HttpError extends Error {
  constructor(status, code, message, { fields, headers } = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.fields = fields;
    this.headers = headers ?? {};
  }

  get body() {
    return { error: { code: this.code, message: this.message, ...(this.fields && { fields: this.fields }) } };
  }
}

export const notFound = (message) => new HttpError(404, "not_found", message);

/** How much more than allowed is read and thrown away, so that the sender is still listening when it is told. */
const patience = 16;

/** The body as text; whoever sends more than the limit is refused. */
export async function readText(request, limitBytes) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > limitBytes * patience) break;
    if (size <= limitBytes) chunks.push(chunk);
  }
  if (size > limitBytes)
    throw new HttpError(413, "too_large", `A body may have ${limitBytes} bytes at most.`, {
      headers: { connection: "close" },
    });
  return Buffer.concat(chunks).toString("utf8");
}

/** The body as the JSON object that it must be; nothing at all counts as an empty one. */
export async function readObject(request, limitBytes) {
  const text = await readText(request, limitBytes);
  if (text.trim() === "") return {};
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    throw new HttpError(400, "bad_json", "The body is not valid JSON.");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new HttpError(422, "invalid", "The body must be a JSON object.");
  return value;
}

const commonHeaders = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  // Without any referrer, browsers would not tell which site a form was sent from.
  "referrer-policy": "same-origin",
};

/** Sends an answer: `body` as JSON, `text`, or bytes, as they are. */
export function send(request, response, answer) {
  const { status = 200, body, text, type = "text/plain; charset=utf-8", headers = {} } = answer;
  const isEmpty = status === 204 || status === 304 || (body === undefined && text === undefined);
  const content = isEmpty ? "" : (text ?? `${JSON.stringify(body)}\n`);
  response.writeHead(status, {
    ...commonHeaders,
    ...(!isEmpty && {
      "content-type": text === undefined ? "application/json; charset=utf-8" : type,
      "content-length": Buffer.byteLength(content),
    }),
    ...headers,
  });
  response.end(request.method === "HEAD" ? undefined : content);
}
