import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname } from "node:path";
import { check, find } from "./check.js";
import { exportRecords } from "./export.js";
import { openStore } from "./store.js";

const maxBytes = 1024 * 1024;
const types = { ".css": "text/css; charset=utf-8", ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8" };
const safety = {
  "content-security-policy": "default-src 'self'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'",
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
};

/** A request that is refused, with the status that says why. */
class Refused extends Error {
  constructor(status, message, more = {}) {
    super(message);
    this.status = status;
    this.more = more;
  }
}

/**
 * The app as a local server: its window at `/`, its records below the paths of the entities.
 *
 * @param {{ model: object, folder: string, onQuit?: () => void }} options the folder is where records are kept
 */
export function createApp({ model, folder, onQuit = () => {} }) {
  const resources = model.entities.map((entity) => ({ entity, store: openStore(folder, entity) }));
  return createServer(async (request, response) => {
    try {
      await answer({ resources, onQuit }, request, response);
    } catch (error) {
      const isKnown = error instanceof Refused;
      if (!isKnown) console.error(error);
      const { allow, ...more } = error.more ?? {};
      const message = isKnown ? error.message : "Something went wrong.";
      json(response, isKnown ? error.status : 500, { error: message, ...more }, allow === undefined ? {} : { allow });
    }
  });
}

async function answer({ resources, onQuit }, request, response) {
  const { pathname, searchParams } = new URL(request.url, "http://localhost");
  // Pages of other sites must not reach into the app through the browser that shows it.
  const { origin } = request.headers;
  const isOwn = origin === undefined || (URL.canParse(origin) && new URL(origin).host === request.headers.host);
  if (!isOwn) throw new Refused(403, "This is another site.");
  if (pathname === "/health") return only(request, ["GET", "HEAD"]) && json(response, 200, { status: "ok" });
  if (pathname === "/api/quit") {
    only(request, ["POST"]);
    json(response, 202, { status: "quitting" });
    return onQuit();
  }
  for (const { entity, store } of resources) {
    if (pathname === `${entity.path}.md` || pathname === `${entity.path}.json`) {
      only(request, ["GET", "HEAD"]);
      const { type, text } = exportRecords(entity, find(entity, store.all(), searchParams), pathname.endsWith(".md") ? "markdown" : "json");
      const name = pathname.slice(pathname.lastIndexOf("/") + 1);
      return send(response, 200, text, { "content-type": type, "content-disposition": `attachment; filename="${name}"` });
    }
    if (pathname === entity.path) return collection({ entity, store }, request, response, searchParams);
    const id = pathname.startsWith(`${entity.path}/`) ? pathname.slice(entity.path.length + 1) : undefined;
    if (id !== undefined) return member({ entity, store }, request, response, /^\d{1,15}$/.test(id) ? Number(id) : -1);
  }
  return page(request, response, pathname);
}

async function collection({ entity, store }, request, response, query) {
  only(request, ["GET", "HEAD", "POST"]);
  if (request.method !== "POST") return json(response, 200, find(entity, store.all(), query));
  const record = store.add(valuesIn(entity, await readBody(request)));
  return json(response, 201, record, { location: `${entity.path}/${record.id}` });
}

async function member({ entity, store }, request, response, id) {
  only(request, ["GET", "HEAD", "PUT", "PATCH", "DELETE"]);
  const record = store.get(id);
  if (record === undefined) throw new Refused(404, `There is no such ${entity.name}.`);
  if (request.method === "DELETE") {
    store.remove(id);
    return send(response, 204, "");
  }
  if (request.method === "GET" || request.method === "HEAD") return json(response, 200, record);
  const values = valuesIn(entity, await readBody(request), request.method === "PATCH");
  return json(response, 200, store.change(id, values));
}

function valuesIn(entity, body, isPart = false) {
  if (typeof body !== "object" || body === null || Array.isArray(body)) throw new Refused(400, "The body must be a JSON object.");
  const { id: _, ...sent } = body;
  const { values, errors } = check(entity, sent, { isPart });
  if (Object.keys(errors).length > 0) throw new Refused(422, "Some fields are not right.", { fields: errors });
  return values;
}

async function page(request, response, pathname) {
  const name = pathname === "/" ? "index.html" : /^\/ui\/([\w-]+\.(?:js|css))$/.exec(pathname)?.[1];
  const content = name && (await readFile(new URL(`ui/${name}`, import.meta.url)).catch(() => undefined));
  if (!content) throw new Refused(404, "There is nothing here.");
  only(request, ["GET", "HEAD"]);
  return send(response, 200, content, { "content-type": types[extname(name)] });
}

function only(request, methods) {
  if (!methods.includes(request.method)) throw new Refused(405, `Only ${methods.join(", ")} here.`, { allow: methods.join(", ") });
  return true;
}

async function readBody(request) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > maxBytes) throw new Refused(413, "The body is too large.");
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    throw new Refused(400, "The body is not JSON.");
  }
}

function json(response, status, value, headers = {}) {
  send(response, status, `${JSON.stringify(value)}\n`, { "content-type": "application/json; charset=utf-8", ...headers });
}

function send(response, status, content, headers = {}) {
  response.writeHead(status, { ...safety, ...headers });
  response.end(response.req.method === "HEAD" || status === 204 ? undefined : content);
}
