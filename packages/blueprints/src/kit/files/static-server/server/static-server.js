import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname } from "node:path";

const types = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".webmanifest": "application/manifest+json; charset=utf-8",
};

// Everything comes from here, and nothing else may run in the page.
const safety = {
  "content-security-policy": "default-src 'self'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/**
 * A server for the files of one folder.
 *
 * @param {{ root: URL, pages: Record<string, string>, folders: string[] }} site which paths are which files, and the
 *   folders whose files are served under their own names
 */
export function createStaticServer(site) {
  return createServer((request, response) => {
    answer(site, request, response).catch(() => send(response, 500, "Something went wrong.\n"));
  });
}

async function answer(site, request, response) {
  if (request.method !== "GET" && request.method !== "HEAD") {
    return send(response, 405, "Only GET and HEAD are answered here.\n", { allow: "GET, HEAD" });
  }
  const path = request.url.split("?")[0];
  if (path === "/health") return send(response, 200, '{"status":"ok"}\n', { "content-type": types[".json"] });
  const file = fileFor(site, path);
  const content = file && (await readFile(new URL(file, site.root)).catch(() => undefined));
  if (content === undefined) return send(response, 404, "There is nothing here.\n");
  return send(response, 200, content, { "content-type": types[extname(file)] ?? "application/octet-stream" });
}

/** The file that a path stands for; nothing if none may be served for it. */
export function fileFor({ pages, folders }, path) {
  if (Object.hasOwn(pages, path)) return pages[path];
  const [folder, ...names] = path.slice(1).split("/");
  const isPlain = names.length > 0 && names.every((name) => /^[\w-][\w.-]*$/.test(name));
  return folders.includes(folder) && isPlain ? [folder, ...names].join("/") : undefined;
}

function send(response, status, content, headers = {}) {
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8", ...safety, ...headers });
  response.end(response.req.method === "HEAD" ? undefined : content);
}
