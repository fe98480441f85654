import { isOwnerOf, mayByRole, maySee, refuseUnless } from "./access.js";
import { actionFields, refuseBypass } from "./action-fields.js";
import { computedOf, refuseUnseenSum, updateSums } from "./computed.js";
import { isTrue } from "./expressions.js";
import { HttpError, notFound } from "./http.js";
import { hashPassword } from "./passwords.js";
import { select } from "./query.js";
import { relatedIn, release, withReferences } from "./references.js";
import { refuseBroken } from "./rules.js";
import { defaultOf, validate } from "./validate.js";
import { withArticle } from "./with-article.js";

/** What can be done with the records of a resource, by whom, and under which rules. */

/** A page of the records that the actor may see. */
export function listRecords(context, { parameters, query, actor }) {
  const { resource, records } = context;
  refuseUnless(resource.access.read, actor, { resource, what: `read each ${resource.title}` });
  const parent = parentOf(context, parameters, actor);
  const own = records.all().filter((record) => isUnder(parent, record) && maySee(resource, actor, record));
  return select(resource, own, query);
}

/** The record of a path, if the actor may see it. */
export function findRecord(context, { parameters, actor }) {
  const { resource, records } = context;
  refuseUnless(resource.access.read, actor, { resource, what: `read ${withArticle(resource.title)}` });
  return findAny(context, parameters, actor, (record) => maySee(resource, actor, record), records);
}

function findAny(context, parameters, actor, fits, records) {
  const parent = parentOf(context, parameters, actor);
  const record = records.get(parameters.id);
  if (record !== undefined && isUnder(parent, record) && fits(record)) return record;
  throw notFound(`The ${context.resource.title} ${parameters.id} was not found.`);
}

/** A new record of what a caller sent. */
export async function createRecord(context, { parameters = {}, body, actor }) {
  const { resource, records, store } = context;
  const sent = without(body, parentOf(context, parameters, actor));
  refuseRole(resource, resource.access.create, actor, sent, {});
  const accepted = await sealed(resource, accept(resource, sent));
  return store.change(() => {
    const at = new Date().toISOString();
    const values = withReferences(context, { ...firstRole(context), ...accepted, ...ownerOf(resource, actor) });
    const above = { ...parentOf(context, parameters, actor), ...values };
    const record = { ...above, ...computedOf(context, above, undefined), created_at: at, updated_at: at };
    refuseUnseenSum(context, actor, record);
    refuseBypass(context, actor, { sent, record });
    refuseBroken(context, record, undefined);
    const made = records.insert(record);
    updateSums(context, made);
    return made;
  });
}

/** A record with what a caller sent: as a part of it, or in its place. */
export async function changeRecord(context, { parameters, body, actor }, { isPartial }) {
  const { resource, records, store } = context;
  const before = findForChange(context, parameters, actor);
  const parent = parentOf(context, parameters, actor);
  const sent = without(body, parent);
  refuseRole(resource, resource.access.change, actor, sent, before);
  const settled = [...actionFields(resource), ...reservedFields(resource)];
  const left = isPartial ? [] : settled.filter((name) => !Object.hasOwn(sent, name));
  const whole = { ...chosen(before, left), ...sent };
  const accepted = await sealed(resource, accept(resource, whole, { isPartial }));
  return store.change(() => {
    const known = findForChange(context, parameters, actor);
    const values = { ...withReferences(context, accepted), ...chosen(known, left) };
    const kept = isPartial ? known : { ...keptOf(resource, known), ...parent };
    const next = { ...kept, ...values, ...newPassword(context, values), updated_at: new Date().toISOString() };
    const record = { ...next, ...computedOf(context, next, known) };
    refuseUnseenSum(context, actor, record);
    refuseBypass(context, actor, { sent, record, known });
    refuseBroken(context, record, known);
    const changed = records.replace(record);
    updateSums(context, known, changed);
    return changed;
  });
}

function findForChange(context, parameters, actor) {
  const { resource, records } = context;
  const record = findSeen(context, parameters, actor, resource.access.change, records);
  refuseUnless(resource.access.change, actor, { resource, record, what: `change this ${resource.title}` });
  return record;
}

/** Whoever may not even see a record is told that it is not there; without a token they are asked for one. */
function findSeen(context, parameters, actor, who, records) {
  const { resource } = context;
  if (!who.includes("anyone") && actor === undefined) refuseUnless(who, actor, { resource, what: "do this" });
  const fits = (record) =>
    maySee(resource, actor, record) || mayByRole(who, actor) || isOwnerOf(resource, actor ?? {}, record);
  return findAny(context, parameters, actor, who.includes("anyone") ? () => true : fits, records);
}

export async function removeRecord(context, { parameters, actor }) {
  const { resource, records, store } = context;
  return store.change(() => {
    const who = resource.access.delete;
    const record = findSeen(context, parameters, actor, who, records);
    refuseUnless(who, actor, { resource, record, what: `delete this ${resource.title}` });
    records.remove(record.id);
    release(context, resource, record);
    updateSums(context, record);
    return record;
  });
}

/** Something done to a record by name: it sets fields, where its condition is true. */
export async function actOn(context, { parameters, actor }, name) {
  const { resource, records, store } = context;
  const { sets, when, access } = resource.actions[name];
  return store.change(() => {
    const known = findSeen(context, parameters, actor, access, records);
    refuseUnless(access, actor, { resource, record: known, what: `${name} this ${resource.title}` });
    if (!isTrue(when, known, relatedIn(context)))
      throw new HttpError(409, "conflict", `The ${resource.title} ${known.id} cannot ${name} as it is now.`);
    const record = { ...known, ...valuesOf(sets, actor), updated_at: new Date().toISOString() };
    refuseBroken(context, record, known);
    const changed = records.replace(record);
    updateSums(context, known, changed);
    return changed;
  });
}

function valuesOf(sets, actor) {
  const now = new Date().toISOString();
  const words = { now, today: now.slice(0, 10), me: actor?.account?.id ?? null };
  return Object.fromEntries(
    Object.entries(sets).map(([field, value]) => [field, Object.hasOwn(words, value) ? words[value] : value]),
  );
}

/** The record that this one is below, by the name of its field. It must be there for the actor, and so must what it is below. */
function parentOf({ model, store, resource: { parent } }, parameters, actor) {
  if (parent === undefined) return {};
  const value = parameters[parent.field];
  const owner = model.resources.find(({ name }) => name === parent.resource);
  const record = store.collection(owner.name).get(value);
  const above = parentOf({ model, store, resource: owner }, parameters, actor);
  if (record === undefined || !isUnder(above, record) || !maySee(owner, actor, record))
    throw notFound(`The ${owner.title} ${value} was not found.`);
  return { [parent.field]: record.id };
}

function isUnder(parent, record) {
  return Object.entries(parent).every(([name, id]) => String(record[name]) === String(id));
}

/** The values that may be stored; what is wrong with the others is said, all of it at once. */
export function accept(resource, body, options) {
  const { values, problems } = validate(resource, body, options);
  if (Object.keys(problems).length === 0) return values;
  const message = Object.entries(problems)
    .map(([name, problem]) => `${name} ${problem}`)
    .join("; ");
  throw new HttpError(422, "invalid", `${message}.`, { fields: problems });
}

function ownerOf({ owner, fields }, actor) {
  return owner === undefined || fields[owner]?.is_owner !== true ? {} : { [owner]: actor?.account?.id ?? null };
}

/**
 * Nobody gives a role to themselves: only those whose own role lets them do this to any account. What is reserved is
 * chosen only by those who may change every record.
 */
function refuseRole(resource, who, actor, sent, known) {
  for (const [name, field] of Object.entries(resource.fields)) {
    const { is_role: isRole, is_reserved: isReserved } = field;
    if (!(isRole || isReserved) || !Object.hasOwn(sent, name)) continue;
    const before = isReserved ? (known[name] ?? defaultOf(field) ?? null) : known[name];
    if (sent[name] === before) continue;
    const roles = isReserved ? resource.access.change : who.filter((word) => word !== "signed_in");
    if (mayByRole(roles, actor)) continue;
    throw new HttpError(403, "forbidden", `You may not choose ${name}: leave it out.`, {
      fields: { [name]: "may not be chosen by you: leave it out" },
    });
  }
}

/** The role of an account that was given none. */
function firstRole({ model, resource }) {
  const { accounts } = model.auth;
  const isAccount = accounts?.resource === resource.name && accounts.default_role !== undefined;
  return isAccount ? { [accounts.role_field]: accounts.default_role } : {};
}

function reservedFields({ fields }) {
  return Object.keys(fields).filter((name) => fields[name].is_reserved);
}

/** What stays of a record that is replaced: what the service set. */
function keptOf({ fields }, known) {
  const own = Object.keys(fields).filter((name) => fields[name].is_owner || fields[name].is_role || fields[name].computed);
  return chosen(known, ["id", "created_at", "tokens_from", ...own]);
}

function chosen(record, names) {
  return Object.fromEntries(names.filter((name) => record[name] !== undefined).map((name) => [name, record[name]]));
}

/** A new password ends the tokens that the old one gave. */
function newPassword({ model, resource }, values) {
  const { accounts } = model.auth;
  const isNew = accounts?.resource === resource.name && values[accounts.password_field] !== undefined;
  return isNew ? { tokens_from: Date.now() + 1 } : {};
}

/** What a record is below stands in its path; a body may repeat it. */
function without(body, parent) {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !Object.hasOwn(parent, name)));
}

/** Passwords are kept as hashes only. */
export async function sealed({ fields }, values) {
  const secrets = Object.keys(values).filter((name) => fields[name]?.type === "password" && values[name] !== null);
  const hashes = await Promise.all(secrets.map(async (name) => [name, await hashPassword(values[name])]));
  return { ...values, ...Object.fromEntries(hashes) };
}

/** A record as callers see it. */
export function shown({ fields }, record) {
  const isShown = (name) => name !== "tokens_from" && fields[name]?.type !== "password";
  return Object.fromEntries(Object.entries(record).filter(([name]) => isShown(name)));
}
