import { HttpError } from "./http.js";

/**
 * Who sends a request is its actor: undefined for anyone, `{ isService: true }` for whoever brings the service's token,
 * else `{ account, role }`.
 */

/** Refuses an actor who may not do something: the words of the model, and for `owner` the record. */
export function refuseUnless(who, actor, { resource, record, what }) {
  if (mayByRole(who, actor) || who.includes("anyone")) return;
  if (actor === undefined) throw unauthorized();
  const isOwner = who.includes("owner") && (record === undefined || isOwnerOf(resource, actor, record));
  if (isOwner) return;
  throw new HttpError(403, "forbidden", `You may not ${what}: that is for ${sayWho(who)}.`);
}

/** Whether the actor may do it as what they are, whatever the record. */
export function mayByRole(who, actor) {
  if (actor === undefined) return false;
  return (
    actor.isService === true || who.includes("signed_in") || (actor.role !== undefined && who.includes(actor.role))
  );
}

/** Whether an actor finds a record at all. */
export function maySee({ access, ...resource }, actor, record) {
  const who = access.read;
  if (who.includes("anyone") || mayByRole(who, actor)) return true;
  return who.includes("owner") && actor !== undefined && isOwnerOf(resource, actor, record);
}

export function isOwnerOf({ owner }, actor, record) {
  const { account } = actor;
  return account !== undefined && owner !== undefined && String(record[owner] ?? "") === String(account.id);
}

/** Refuses whoever may not ask for a route that `protects` names. */
export function refuseUnprotected(protects, actor, method, path) {
  for (const { rule, roles } of protects) {
    if (!covers(rule, method, path)) continue;
    if (actor === undefined) throw unauthorized();
    if (roles !== undefined && !actor.isService && !roles.includes(actor.role))
      throw new HttpError(403, "forbidden", `You may not ask for this: it is for ${sayWho(roles)}.`);
  }
}

/** Whether a rule such as `GET /api/export`, `/api/users` or `*` covers a route: what it names, and what is below. */
export function covers(rule, method, path) {
  const [, verb = "*", place] = /^(?:([A-Z]+|\*)\s+)?(.*)$/.exec(rule);
  if (verb !== "*" && verb !== method && !(verb === "HEAD" && method === "GET")) return false;
  if (place === "*") return true;
  const wanted = shapeOf(place.replace(/\/?\*$/, "")).replace(/\/$/, "");
  const asked = shapeOf(path);
  return asked === wanted || asked.startsWith(`${wanted}/`);
}

function shapeOf(path) {
  return path.replace(/\/+/g, "/").replace(/\{[^{}/]*\}|(?<=\/)(?::\w+|\d+)(?=\/|$)/g, "{}");
}

function unauthorized() {
  return new HttpError(401, "unauthorized", "Unauthorized: log in, or send a valid token.", {
    headers: { "www-authenticate": "Bearer" },
  });
}

function sayWho(who) {
  const words = { signed_in: "whoever is logged in", owner: "whom it belongs to" };
  return who.map((word) => words[word] ?? word).join(" or ") || "nobody";
}
