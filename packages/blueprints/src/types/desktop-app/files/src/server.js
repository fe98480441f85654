import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname } from "node:path";
import { exportRecords } from "./export.js";
import { find } from "./find.js";
import { BadFile, importRecords } from "./import.js";
import { withComputed } from "./records/compute.js";
import { dayOf } from "./records/dates.js";
import { blank, brokenBy, conflictsWith, problemsWith, removalOf } from "./records/fields.js";
import { openStore } from "./store.js";

const maxBytes = 1024 * 1024;
const maxFileBytes = 20 * maxBytes;
const types = { ".css": "text/css; charset=utf-8", ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8" };
const formats = { ".csv": "csv", ".json": "json", ".md": "markdown" };
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
 * The app as a local server: its windows at their paths, its records below the paths of the entities.
 *
 * @param {{ model: object, folder: string, onQuit?: () => void, now?: () => Date }} options the folder is where records are kept
 */
export function createApp({ model, folder, onQuit = () => {}, now = () => new Date() }) {
  const today = () => dayOf(now());
  const app = { model, today, onQuit, store: openStore(folder, model, today) };
  return createServer(async (request, response) => {
    try {
      await answer(app, request, response);
    } catch (error) {
      const isKnown = error instanceof Refused;
      if (!isKnown) console.error(error);
      const { allow, ...more } = error.more ?? {};
      const message = isKnown ? error.message : "Something went wrong.";
      json(response, isKnown ? error.status : 500, { error: message, ...more }, allow === undefined ? {} : { allow });
    }
  });
}

async function answer(app, request, response) {
  const { pathname, searchParams } = new URL(request.url, "http://localhost");
  // Pages of other sites must not reach into the app through the browser that shows it.
  const { origin } = request.headers;
  const isOwn = origin === undefined || (URL.canParse(origin) && new URL(origin).host === request.headers.host);
  if (!isOwn) throw new Refused(403, "This is another site.");
  if (pathname === "/health") return only(request, ["GET", "HEAD"]) && json(response, 200, { status: "ok" });
  if (pathname === "/api/quit") {
    only(request, ["POST"]);
    json(response, 202, { status: "quitting" });
    return app.onQuit();
  }
  for (const entity of app.model.entities) {
    const format = pathname.startsWith(entity.path) ? formats[pathname.slice(entity.path.length)] : undefined;
    if (format !== undefined) return wholeFile(app, entity, format, request, response, searchParams);
    if (pathname === entity.path) return collection(app, entity, request, response, searchParams);
    const id = pathname.startsWith(`${entity.path}/`) ? pathname.slice(entity.path.length + 1) : undefined;
    if (id !== undefined) return member(app, entity, request, response, /^\d{1,15}$/.test(id) ? Number(id) : -1);
  }
  return page(app, request, response, pathname);
}

/** What formulas and checks look at. */
function around({ model, today }, records) {
  return { model, today: today(), all: records.all };
}

function listed(app, entity, query) {
  const surroundings = around(app, app.store);
  return find(entity, app.store.all(entity.name).map((record) => withComputed(entity, record, surroundings)), query);
}

/** All records as a file: to save them, or to read them from one. */
async function wholeFile(app, entity, format, request, response, query) {
  const { exports, imports } = app.model;
  const methods = [...(exports.includes(format) ? ["GET", "HEAD"] : []), ...(imports.includes(format) ? ["POST"] : [])];
  if (methods.length === 0) throw new Refused(404, "There is nothing here.");
  only(request, methods);
  if (request.method === "POST") {
    const text = await readText(request, maxFileBytes);
    try {
      return json(response, 200, change(app, (draft) => importRecords(entity, text, format, draft, around(app, draft))));
    } catch (error) {
      if (error instanceof BadFile) throw new Refused(422, error.message, { rows: error.rows.slice(0, 20) });
      throw error;
    }
  }
  const { type, text } = exportRecords(entity, listed(app, entity, query.has("sort") ? query : new URLSearchParams([...query, ["sort", "id"]])), format);
  const name = `${entity.file}.${format === "markdown" ? "md" : format}`;
  return send(response, 200, text, { "content-type": type, "content-disposition": `attachment; filename="${name}"` });
}

async function collection(app, entity, request, response, query) {
  only(request, ["GET", "HEAD", "POST"]);
  if (request.method !== "POST") return json(response, 200, listed(app, entity, query));
  const sent = await readValues(entity, request);
  const record = change(app, (draft) => draft.put(entity.name, checked(app, entity, { ...blank(entity, app.today()), ...sent }, draft)));
  return json(response, 201, withComputed(entity, record, around(app, app.store)), { location: `${entity.path}/${record.id}` });
}

async function member(app, entity, request, response, id) {
  only(request, ["GET", "HEAD", "PUT", "PATCH", "DELETE"]);
  const there = (records) => {
    const record = records.get(entity.name, id);
    if (record === undefined) throw new Refused(404, `There is no such ${entity.name}.`);
    return record;
  };
  there(app.store);
  if (request.method === "DELETE") {
    change(app, (draft) => there(draft) && remove(app, entity, id, draft));
    return send(response, 204, "");
  }
  if (request.method !== "GET" && request.method !== "HEAD") {
    const sent = await readValues(entity, request);
    change(app, (draft) => {
      const before = there(draft);
      const base = request.method === "PATCH" ? before : blank(entity, app.today());
      return draft.put(entity.name, checked(app, entity, { ...base, ...sent, id }, draft));
    });
  }
  return json(response, 200, withComputed(entity, there(app.store), around(app, app.store)));
}

/** Changes records, unless that breaks a rule of others, which they kept to before. */
function change(app, work) {
  return app.store.change((draft) => {
    const before = new Map(app.model.entities.map(({ name }) => [name, draft.all(name)]));
    const result = work(draft);
    const problem = brokenBy(around(app, { all: (name) => before.get(name) }), around(app, draft));
    if (problem !== undefined) throw new Refused(409, problem);
    return result;
  });
}

function checked(app, entity, record, draft) {
  const surroundings = around(app, draft);
  const fields = problemsWith(entity, record, surroundings);
  if (Object.keys(fields).length === 0) return record;
  const taken = conflictsWith(entity, record, surroundings);
  const isTaken = Object.keys(fields).every((name) => fields[name] === taken[name]);
  throw new Refused(isTaken ? 409 : 422, isTaken ? "There is one like it already." : "Some fields are not right.", { fields });
}

function remove(app, entity, id, draft) {
  const { problem, removed, emptied } = removalOf(entity.name, id, { model: app.model, all: draft.all });
  if (problem !== undefined) throw new Refused(409, problem);
  for (const one of removed) draft.remove(one.entity, one.id);
  for (const { entity: name, id: of, field } of emptied) {
    const record = draft.get(name, of);
    if (record !== undefined) draft.put(name, { ...record, [field]: null });
  }
}

async function page({ model }, request, response, pathname) {
  const window = model.windows.find(({ path }) => path === pathname);
  const own = window && `ui/${pathname === "/" ? "index" : window.id}.html`;
  const name = own ?? /^\/((?:ui|records)\/[\w-]+\.(?:js|css))$/.exec(pathname)?.[1];
  const content = name && (await readFile(new URL(name, import.meta.url)).catch(() => undefined));
  if (!content) throw new Refused(404, "There is nothing here.");
  only(request, ["GET", "HEAD"]);
  return send(response, 200, content, { "content-type": types[extname(name)] });
}

function only(request, methods) {
  if (!methods.includes(request.method)) throw new Refused(405, `Only ${methods.join(", ")} here.`, { allow: methods.join(", ") });
  return true;
}

/** The fields that somebody sent. What is computed may come back, and is computed again. */
async function readValues(entity, request) {
  const text = await readText(request, maxBytes);
  let body;
  try {
    body = JSON.parse(text);
  } catch {
    throw new Refused(400, "The body is not JSON.");
  }
  if (typeof body !== "object" || body === null || Array.isArray(body)) throw new Refused(400, "The body must be a JSON object.");
  const isComputed = (name) => name === "id" || entity.computed.some((one) => one.name === name);
  const sent = Object.entries(body).filter(([name]) => !isComputed(name));
  const unknown = sent.filter(([name]) => !entity.fields.some((field) => field.name === name));
  const fields = Object.fromEntries(unknown.map(([name]) => [name, "is not known"]));
  if (unknown.length > 0) throw new Refused(422, "Some fields are not right.", { fields });
  return Object.fromEntries(sent.map(([name, value]) => [name, value === "" ? null : value]));
}

async function readText(request, limit) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > limit) throw new Refused(413, "The body is too large.");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function json(response, status, value, headers = {}) {
  send(response, status, `${JSON.stringify(value)}\n`, { "content-type": "application/json; charset=utf-8", ...headers });
}

function send(response, status, content, headers = {}) {
  response.writeHead(status, { ...safety, ...headers });
  response.end(response.req.method === "HEAD" || status === 204 ? undefined : content);
}
