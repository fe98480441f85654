import type { CompleteSpec, TypeKeys } from "@slipway/spec";
import { plural } from "../../kit/plural.ts";
import { pointerPart } from "../../kit/pointer.ts";
import type { Unmet } from "../../plugin.ts";
import type { FieldModel, OnDelete } from "./model.ts";
import { isParameter, type PathShape, shapeOf } from "./path-shape.ts";
import { readFields, type WrittenResource } from "./read-fields.ts";
import { uniqueNames } from "./unique-names.ts";

/** What a service is made from. */
export type ServiceDocument = CompleteSpec & Pick<TypeKeys<"api">, "data_model" | "base_path" | "auth" | "endpoints">;

/** A resource as the document declares it, with its fields read. */
export interface DraftResource {
  readonly name: string;
  readonly title: string;
  readonly written: WrittenResource;
  readonly fields: Readonly<Record<string, FieldModel>>;
  readonly path: string;
  readonly shape: PathShape;
  readonly parent?: { readonly resource: string; readonly field: string; readonly on_delete: OnDelete };
  /** JSON Pointer to it in the document. */
  readonly pointer: string;
}

/** Reads `data_model`, that of the document and those of its services: names, fields, paths and what belongs to what. */
export function readDataModel(
  document: ServiceDocument,
  { basePath = document.base_path ?? "" }: { readonly basePath?: string } = {},
): { readonly drafts: readonly DraftResource[]; readonly unmet: readonly Unmet[] } {
  const unmet: Unmet[] = [];
  const written = [...declared(document)];
  const names = uniqueNames(
    written.map(({ title }) => title),
    "resource",
  );
  const base = basePath.replace(/(?<!\/)\/+$/, "");
  const named = written.map((one, index) => {
    const path = one.written.path ?? `${base}/${pluralSlug(one.title)}`;
    return { ...one, name: names[index]!, path };
  });
  const drafts = named.map((one) => readDraft(one, named, unmet));
  return { drafts: withoutTaken(drafts, unmet), unmet };
}

interface Declared {
  readonly title: string;
  readonly written: WrittenResource;
  readonly pointer: string;
}
type Named = Declared & { readonly name: string; readonly path: string };

function* declared(document: ServiceDocument): Generator<Declared> {
  const blocks = [
    ["/data_model", document.data_model] as const,
    ...Object.entries(document.services ?? {}).map(([name, service]) => {
      const { data_model: resources } = service as { data_model?: ServiceDocument["data_model"] };
      return [`/services/${pointerPart(name)}/data_model`, resources] as const;
    }),
  ];
  for (const [pointer, resources = {}] of blocks)
    for (const [title, written] of Object.entries(resources))
      yield { title, written, pointer: `${pointer}/${pointerPart(title)}` };
}

function readDraft(one: Named, all: readonly Named[], unmet: Unmet[]): DraftResource {
  const { name, title, written, pointer } = one;
  const { on_delete: onDelete = "cascade" } = written;
  const fields = readFields(written.fields ?? {}, `${pointer}/fields`, unmet);
  for (const [field, { to }] of Object.entries(fields)) {
    if (to === undefined) continue;
    const target = all.find((other) => other.title === to);
    if (target === undefined) {
      unmet.push({ pointer: `${pointer}/fields/${pointerPart(field)}/to`, reason: noResource(to, all) });
      fields[field] = { ...fields[field]!, type: "any" };
    } else fields[field] = { ...fields[field]!, to: target.name };
  }
  const owners = [written.belongs_to ?? []].flat().flatMap((owner) => {
    const found = all.find((other) => other.title === owner);
    if (found === undefined) unmet.push({ pointer: `${pointer}/belongs_to`, reason: noResource(owner, all) });
    return found ?? [];
  });
  const place = placeOf(one, owners, all, unmet);
  for (const owner of owners) {
    const field = `${owner.name}_id`;
    if (place.parent?.field === field || Object.hasOwn(fields, field)) continue;
    const { was } = owner.written;
    fields[field] = {
      type: "reference",
      ...(onDelete !== "set_null" && { required: true }),
      to: owner.name,
      on_delete: onDelete,
      ...(was !== undefined && { was: `${was}_id` }),
    };
  }
  const parent = place.parent && {
    ...place.parent,
    on_delete: onDelete === "set_null" ? ("cascade" as const) : onDelete,
  };
  if (place.parent !== undefined && onDelete === "set_null")
    unmet.push({
      pointer: `${pointer}/on_delete`,
      reason: "What is below something in its path cannot be without it: it is deleted too.",
    });
  return {
    name,
    title: title.replaceAll("_", " "),
    written,
    fields,
    path: place.path,
    shape: shapeOf(place.path),
    ...(parent !== undefined && { parent }),
    pointer,
  };
}

function noResource(name: string, all: readonly Named[]): string {
  return `There is no '${name}' in 'data_model': there ${all.length === 1 ? "is" : "are"} ${all.map(({ title }) => title).join(", ")}.`;
}

/** The path with the field's name for each id, and what the resource is directly below. */
function placeOf(
  { title, path, pointer }: Named,
  owners: readonly Named[],
  all: readonly Named[],
  unmet: Unmet[],
): { readonly path: string; readonly parent?: { readonly resource: string; readonly field: string } } {
  const { segments } = shapeOf(path);
  const words = (until: number) =>
    `/${segments
      .slice(0, until)
      .map((segment) => ("word" in segment ? segment.word : "{}"))
      .join("/")}`;
  let above: Named | undefined;
  const parts = segments.map((segment, index) => {
    if ("word" in segment) return segment.word;
    const isLast = !segments.slice(index + 1).some(isParameter);
    const byPath = all.find((other) => shapeOf(other.path).key === words(index));
    above = (isLast ? (owners.find((owner) => owner === byPath) ?? owners[0]) : undefined) ?? byPath;
    return above === undefined ? undefined : `{${above.name}_id}`;
  });
  if (parts.includes(undefined) || isParameter(segments.at(-1))) {
    const reason = isParameter(segments.at(-1))
      ? "The path is that of the list: leave the id at its end out."
      : "Nothing is said to be at what stands before the id: say what it belongs to with 'belongs_to'.";
    unmet.push({ pointer: `${pointer}/path`, reason });
    return { path: `/${pluralSlug(title)}` };
  }
  const filled = `/${parts.join("/")}`;
  return above === undefined
    ? { path: filled }
    : { path: filled, parent: { resource: above.name, field: `${above.name}_id` } };
}

/** Of two resources at one path, the first is served. */
function withoutTaken(drafts: readonly DraftResource[], unmet: Unmet[]): readonly DraftResource[] {
  const taken = new Map<string, string>();
  return drafts.filter(({ shape, title, pointer }) => {
    const other = taken.get(shape.key);
    if (other !== undefined)
      unmet.push({ pointer, reason: `'${other}' is at the same path: give this one a 'path' of its own.` });
    else taken.set(shape.key, title);
    return other === undefined;
  });
}

function pluralSlug(name: string): string {
  const word = name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-|-$/g, "");
  return plural(word || "records");
}
