import { createServer } from "node:http";

const types = {
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
  js: "text/javascript; charset=utf-8",
  json: "application/json; charset=utf-8",
  xml: "application/xml; charset=utf-8",
};

// Everything comes from here, and nothing else may run in the page.
const safety = {
  "content-security-policy": "default-src 'self'; img-src 'self' data: https:; base-uri 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/** A server for the files of a site. */
export function createSiteServer(files, redirects = {}) {
  return createServer((request, response) => {
    const { status, headers, content } = answerTo(files, request.method, request.url, redirects);
    response.writeHead(status, { ...safety, ...headers });
    response.end(request.method === "HEAD" ? undefined : content);
  });
}

/** What is answered to a request. */
export function answerTo(files, method, url, redirects = {}) {
  const text = { "content-type": "text/plain; charset=utf-8" };
  if (method !== "GET" && method !== "HEAD")
    return { status: 405, headers: { ...text, allow: "GET, HEAD" }, content: "Only GET and HEAD are answered here.\n" };
  const path = pathOf(url);
  const target = [path, `${path}/`].find((one) => Object.hasOwn(redirects, one));
  if (target !== undefined) return { status: 301, headers: { ...text, location: asLocation(redirects[target]) }, content: "" };
  if (files.has(path) && path !== "/404.html")
    return { status: 200, headers: { "content-type": typeOf(path) }, content: files.get(path) };
  if (path === "/health") return { status: 200, headers: { "content-type": types.json }, content: '{"status":"ok"}\n' };
  if (files.has(`${path}/`)) return { status: 308, headers: { ...text, location: encodeURI(`${path}/`) }, content: "" };
  return { status: 404, headers: { "content-type": typeOf("") }, content: files.get("/404.html") };
}

/** A target as a header: what is encoded already stays as it is. */
function asLocation(target) {
  return encodeURI(target).replace(/%25([0-9a-f]{2})/gi, "%$1");
}

function pathOf(url) {
  try {
    return decodeURI(url.split(/[?#]/)[0]);
  } catch {
    return "/404.html";
  }
}

function typeOf(path) {
  const ending = path.slice(path.lastIndexOf(".") + 1);
  return Object.hasOwn(types, ending) ? types[ending] : "text/html; charset=utf-8";
}
