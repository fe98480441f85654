import type { CompleteSpec } from "@slipway/spec";
import type { Unmet } from "../../plugin.ts";
import { inferResources, isOf } from "./infer-resources.ts";
import { inferSeed } from "./infer-seed.ts";
import type { FieldModel, ResourceModel } from "./model.ts";
import { isParameter, lastWord, type PathShape, shapeFrom, shapeOf } from "./path-shape.ts";
import { type DeclaredResource, nameFromPath, readDataModel } from "./read-data-model.ts";
import { type ExpectedRequest, exactStatus, expects, fieldsOf, isSuccess } from "./read-requests.ts";
import { uniqueNames } from "./unique-names.ts";

/** A resource and its origin. */
export interface FoundResource {
  readonly model: ResourceModel;
  readonly shape: PathShape;
  /** Declared by the document; else only seen in its requests. */
  readonly isDeclared: boolean;
}

export interface FoundResources {
  readonly resources: readonly FoundResource[];
  readonly unmet: readonly Unmet[];
}

/** Reads all resources of a document: the declared ones, then those that only requests show. */
export function readResources(document: CompleteSpec, requests: readonly ExpectedRequest[]): FoundResources {
  const { resources: declared, unmet } = readDataModel(document);
  const known = declared.map((resource) => ({ resource, shape: shapeOf(resource.path) }));
  const open = requests.filter(({ shape }) => !known.some((other) => isOf(other.shape, shape)));
  const inferred = inferResources(open).filter(({ shape }) => !known.some((other) => other.shape.key === shape.key));
  const drafts: Draft[] = [
    ...known.map(({ resource, shape }) => ({ ...resource, shape, isDeclared: true })),
    ...inferred.map(({ shape, fields, isSingle }) => ({
      name: isSingle ? (lastWord(shape) ?? "settings") : nameFromPath(shape.key),
      shape,
      fields,
      isDeclared: false,
      isSingle,
    })),
  ];
  const names = uniqueNames(
    drafts.map(({ name }) => name),
    "resource",
  );
  const named = drafts.map((draft, index) => ({ ...draft, title: draft.name, name: names[index]! }));
  return { resources: named.map((draft) => finish(draft, named, requests)), unmet };
}

interface Draft extends Partial<Omit<DeclaredResource, "name" | "fields" | "path">> {
  readonly name: string;
  readonly shape: PathShape;
  readonly fields: Readonly<Record<string, FieldModel>>;
  readonly isDeclared: boolean;
  readonly isSingle?: boolean;
}

type NamedDraft = Draft & { readonly title: string };

function finish(draft: NamedDraft, all: readonly NamedDraft[], requests: readonly ExpectedRequest[]): FoundResource {
  const own = requests.filter(({ shape }) => isOf(draft.shape, shape) || isWordInside(draft.shape, shape));
  const { path, parent } = placeOf(draft, all);
  const fields = draft.fields;
  const names = Object.keys(fields);
  const texts = names.filter((name) => ["string", "text", "email", "url", "enum"].includes(fields[name]!.type));
  const scalars = names.filter((name) => !["object", "password"].includes(fields[name]!.type));
  const sent = own.filter(isSuccess).flatMap((request) => Object.keys(fieldsOf(request) ?? {}));
  const isOpen =
    !draft.isDeclared || sent.some((name) => !Object.hasOwn(fields, name) && !serviceFields.includes(name));
  const actions = actionsOf(draft.shape, all, requests);
  const only = onlyMethods(draft, own);
  const model: ResourceModel = {
    name: draft.name,
    title: draft.title,
    path,
    ...(parent !== undefined && { parent }),
    fields,
    is_open: isOpen,
    ...(draft.isSingle === true && { is_single: true }),
    filters: draft.filters ?? scalars,
    search: draft.search ?? texts,
    sort: draft.sort ?? [...scalars, "created_at", "updated_at"],
    list_key: listKey(draft.shape, own),
    statuses: statusesOf(draft.shape, own),
    ...(Object.keys(actions).length > 0 && { actions }),
    ...(only !== undefined && { only }),
  };
  const seed = inferSeed(model, draft.shape, own);
  return { model: seed.length > 0 ? { ...model, seed } : model, shape: draft.shape, isDeclared: draft.isDeclared };
}

const serviceFields = ["id", "created_at", "updated_at"];

/** Whether the path is the collection's plus a word: `/users/unknown` is a record that is expected to be missing. */
export function isWordInside(collection: PathShape, { segments }: PathShape): boolean {
  return (
    segments.length > 1 && !isParameter(segments.at(-1)) && shapeFrom(segments.slice(0, -1)).key === collection.key
  );
}

/** The path with a name for each id, and the parent of the resource. */
function placeOf({ shape, belongsTo }: NamedDraft, all: readonly NamedDraft[]): Pick<ResourceModel, "path" | "parent"> {
  const names: string[] = [];
  let parent: ResourceModel["parent"];
  const parts = shape.segments.map((segment, index) => {
    if ("word" in segment) return segment.word;
    const above = shapeFrom(shape.segments.slice(0, index)).key;
    const owner = all.find((other) => other.shape.key === above) ?? all.find(({ title }) => title === belongsTo);
    const word = (owner?.name ?? segment.parameter.replace(/_?id$/i, "")).replace(/\W+/g, "_") || "parent";
    const field = names.includes(`${word}_id`) ? `${word}_${index}_id` : `${word}_id`;
    names.push(field);
    parent = { ...(owner !== undefined && { resource: owner.name }), field };
    return `{${field}}`;
  });
  return { path: `/${parts.join("/")}`, ...(parent !== undefined && { parent }) };
}

function statusesOf(shape: PathShape, own: readonly ExpectedRequest[]): ResourceModel["statuses"] {
  const first = (methods: readonly string[], fits: (request: ExpectedRequest) => boolean) =>
    own
      .filter((request) => methods.includes(request.method) && fits(request))
      .map(exactStatus)
      .find((status) => status !== undefined);
  const isInvalid = (request: ExpectedRequest) =>
    expects(request, 400, 422) && !isSuccess(request) && isOf(shape, request.shape);
  const badId = first(["GET", "DELETE"], (request) => expects(request, 400, 422) && isWordInside(shape, request.shape));
  return {
    create: first(["POST"], isSuccess) ?? 201,
    change: first(["PUT", "PATCH"], isSuccess) ?? 200,
    remove: first(["DELETE"], isSuccess) ?? 204,
    invalid: first(["POST", "PUT", "PATCH"], isInvalid) ?? 422,
    ...(badId !== undefined && { bad_id: badId }),
  };
}

/** The key of the list in its response: the one that the document looks for. */
function listKey(shape: PathShape, own: readonly ExpectedRequest[]): string {
  const texts = own
    .filter(({ method, shape: { key } }) => method === "GET" && key === shape.key)
    .flatMap(({ contains }) => contains);
  const keys = ["items", "data", "results", "records", "entries", "rows", lastWord(shape) ?? "items"];
  return keys.find((key) => texts.some((text) => text === key || text.includes(`"${key}"`))) ?? "items";
}

/** Actions on a record, other than changing its fields: `POST /orders/{id}/cancel`. */
function actionsOf(
  shape: PathShape,
  all: readonly NamedDraft[],
  requests: readonly ExpectedRequest[],
): NonNullable<ResourceModel["actions"]> {
  const found = requests.flatMap((request) => {
    const { segments, key } = request.shape;
    const word = lastWord(request.shape);
    const isUnder = segments.length > 2 && shapeFrom(segments.slice(0, -1)).key === `${shape.key}/{}`;
    if (word === undefined || !isUnder || !["POST", "PUT", "PATCH"].includes(request.method)) return [];
    if (all.some((other) => other.shape.key === key) || !isSuccess(request)) return [];
    return [[word, { method: request.method, status: exactStatus(request) ?? 200 }] as const];
  });
  return Object.fromEntries(found.toReversed());
}

/** A registration endpoint does not list accounts. */
function onlyMethods(
  { shape, isDeclared }: NamedDraft,
  own: readonly ExpectedRequest[],
): readonly string[] | undefined {
  const isRegistration = !isDeclared && /^(register|signup|sign-up|registration)$/i.test(lastWord(shape) ?? "");
  return isRegistration && own.every(({ method }) => method === "POST") ? ["POST"] : undefined;
}
