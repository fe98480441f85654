// Serves the files of a folder: `node site-server.mjs <folder>`, on HOST and PORT. It is copied into a release and has no
// dependency, so that it runs in the sandbox and after every update of the service.
import { constants } from "node:fs";
import { lstat, open, realpath } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";

const types = {
  avif: "image/avif",
  css: "text/css; charset=utf-8",
  csv: "text/csv; charset=utf-8",
  gif: "image/gif",
  htm: "text/html; charset=utf-8",
  html: "text/html; charset=utf-8",
  ico: "image/x-icon",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  js: "text/javascript; charset=utf-8",
  json: "application/json",
  map: "application/json",
  md: "text/markdown; charset=utf-8",
  mjs: "text/javascript; charset=utf-8",
  mp3: "audio/mpeg",
  mp4: "video/mp4",
  ogg: "audio/ogg",
  pdf: "application/pdf",
  png: "image/png",
  svg: "image/svg+xml",
  txt: "text/plain; charset=utf-8",
  wasm: "application/wasm",
  wav: "audio/wav",
  webm: "video/webm",
  webmanifest: "application/manifest+json",
  webp: "image/webp",
  woff: "font/woff",
  woff2: "font/woff2",
  xml: "application/xml",
};

const root = await realpath(process.argv[2] ?? ".");
const host = process.env.HOST ?? "127.0.0.1";
const port = Number(process.env.PORT ?? 8080);

const server = createServer((request, response) => {
  answer(request, response).catch((error) => {
    console.error(error.message);
    if (response.headersSent) response.destroy();
    else sendText(response, 500, "The file cannot be read.");
  });
});
server.listen(port, host, () => console.log(`Serving on http://${host}:${server.address().port}/`));
for (const signal of ["SIGINT", "SIGTERM"])
  process.on(signal, () => {
    server.close();
    server.closeIdleConnections();
  });

async function answer(request, response) {
  if (request.method !== "GET" && request.method !== "HEAD")
    return sendText(response, 405, "Only GET and HEAD are answered here.", { Allow: "GET, HEAD" });
  const [path, search] = request.url.split(/\?(.*)/s, 2);
  const parts = partsOf(path);
  if (parts === undefined) return sendText(response, 400, "This is not a valid path.");
  const found = await find(parts);
  if (found === "folder" && !path.endsWith("/"))
    return sendText(response, 308, "It is a folder.", { Location: addressOf(parts, search) });
  const names = [...parts];
  if (found === "folder") names.push("index.html");
  else if (found === undefined && names.length > 0) names.push(`${names.pop()}.html`);
  const file = await openFile(names);
  if (file !== undefined) return sendFile(request, response, file, names.at(-1), 200);
  const page = await openFile(["404.html"]);
  if (page !== undefined) return sendFile(request, response, page, "404.html", 404);
  return sendText(response, 404, "Not found.");
}

/** The decoded names of a path; undefined if it is malformed. */
function partsOf(path) {
  try {
    const parts = path.split("/").filter((part) => part !== "").map(decodeURIComponent);
    return parts.some((part) => /[/\\\0]/.test(part)) ? undefined : parts;
  } catch {
    return undefined;
  }
}

/** Made of the names alone: a path that begins with two slashes would lead to another host. */
function addressOf(parts, search) {
  return `/${parts.map((part) => `${encodeURIComponent(part)}/`).join("")}${search ? `?${search}` : ""}`;
}

/** What is at a place; undefined for nothing, for names that begin with a dot, and behind links. */
async function find(parts) {
  let place = root;
  let found = "folder";
  for (const [index, part] of parts.entries()) {
    const isHidden = part.startsWith(".") && !(index === 0 && part === ".well-known");
    if (isHidden || found !== "folder") return undefined;
    place = join(place, part);
    const stats = await lstat(place).catch(() => undefined);
    found = stats?.isDirectory() ? "folder" : stats?.isFile() ? "file" : undefined;
    if (found === undefined) return undefined;
  }
  return found;
}

async function openFile(parts) {
  if ((await find(parts)) !== "file") return undefined;
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await open(join(root, ...parts), flags).catch(() => undefined);
  if (handle === undefined) return undefined;
  const stats = await handle.stat();
  if (stats.isFile()) return { handle, stats };
  await handle.close();
  return undefined;
}

async function sendFile(request, response, { handle, stats }, name, status) {
  const { size, mtimeMs, mtime } = stats;
  const etag = `"${size.toString(36)}-${Math.round(mtimeMs * 1000).toString(36)}"`;
  const headers = {
    "Content-Type": types[/\.(\w+)$/.exec(name)?.[1].toLowerCase()] ?? "application/octet-stream",
    "X-Content-Type-Options": "nosniff",
    // A visitor must see a new version at once; asking costs one small answer.
    "Cache-Control": "no-cache",
    "Accept-Ranges": "bytes",
    "Last-Modified": mtime.toUTCString(),
    ETag: etag,
  };
  const end = async (code, more = {}) => {
    await handle.close();
    response.writeHead(code, { ...headers, ...more }).end();
  };
  if (status === 200 && isKnown(request.headers, etag, mtime)) return end(304);
  const range = status === 200 ? rangeOf(request.headers, size, etag) : undefined;
  if (range === "none") return end(416, { "Content-Range": `bytes */${size}`, "Content-Length": 0 });
  const { first, last } = range ?? { first: 0, last: size - 1 };
  headers["Content-Length"] = last - first + 1;
  if (range !== undefined) headers["Content-Range"] = `bytes ${first}-${last}/${size}`;
  if (request.method === "HEAD" || size === 0) return end(range === undefined ? status : 206);
  response.writeHead(range === undefined ? status : 206, headers);
  const stream = handle.createReadStream({ start: first, end: last });
  // Closes the file when the visitor leaves.
  response.on("close", () => stream.destroy());
  stream.on("error", () => response.destroy()).pipe(response);
}

function isKnown(headers, etag, mtime) {
  const known = headers["if-none-match"];
  if (known !== undefined) return known === "*" || known.split(",").some((one) => one.trim().replace(/^W\//, "") === etag);
  const since = Date.parse(headers["if-modified-since"] ?? "");
  return Math.floor(mtime.getTime() / 1000) * 1000 <= since;
}

/** One range of bytes; undefined for the whole file, `none` if it is outside of it. */
function rangeOf(headers, size, etag) {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(headers.range ?? "");
  const condition = headers["if-range"];
  if (match === null || match[0] === "bytes=-" || (condition !== undefined && condition !== etag)) return undefined;
  const [, from, to] = match;
  const first = from === "" ? Math.max(0, size - Number(to)) : Number(from);
  const last = from === "" || to === "" ? size - 1 : Math.min(Number(to), size - 1);
  return first > last ? "none" : { first, last };
}

function sendText(response, status, text, headers = {}) {
  const type = { "Content-Type": "text/plain; charset=utf-8", "X-Content-Type-Options": "nosniff" };
  response.writeHead(status, { ...type, ...headers }).end(`${text}\n`);
}
