// As in the service: an import would load fetch, too.
const { request } = process.getBuiltinModule("node:http");

/**
 * Sends a request, and reads the whole answer. Not with fetch: to load it takes longer than most tests.
 *
 * @param {string | URL} url
 * @param {{ method?: string, headers?: Record<string, string>, body?: string }} [options]
 */
export function sendRequest(url, { method = "GET", headers = {}, body } = {}) {
  return new Promise((resolve, reject) => {
    // Node says by itself how long a body is, but not that of DELETE.
    const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) };
    const options = { method, agent: false, headers: { accept: "*/*", ...headers, ...length } };
    const sent = request(url, options, (response) => {
      const parts = [];
      response.on("data", (part) => parts.push(part));
      response.on("error", reject);
      response.on("end", () => resolve(answerOf(response, Buffer.concat(parts))));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

function answerOf({ statusCode, headers }, bytes) {
  const get = (name) => headers[name]?.toString() ?? null;
  return { status: statusCode, headers: { get, getSetCookie: () => headers["set-cookie"] ?? [] }, bytes, text: bytes.toString() };
}
