import { pointerPart } from "../../kit/pointer.ts";
import type { FieldModel, ResourceModel } from "../api/model.ts";
import type { Related } from "./model.ts";
import { placeOf } from "./page-paths.ts";
import type { Reading } from "./read-pages.ts";
import { labelled, resourceNamed, titleFieldOf } from "./titles.ts";

const serviceFields = ["id", "created_at", "updated_at"];

/** The declared names that are fields; undefined where none are declared. */
export function readFieldNames(
  { unmet }: Pick<Reading, "unmet">,
  written: readonly string[] | undefined,
  { fields }: ResourceModel,
  pointer: string,
): readonly string[] | undefined {
  return written?.filter((name, index) => {
    const isKnown = Object.hasOwn(fields, name) || (serviceFields.includes(name) && !pointer.endsWith("/fields"));
    if (!isKnown) unmet.push({ pointer: `${pointer}/${index}`, reason: `There is no field '${name}'.` });
    return isKnown;
  });
}

/** The declared fields of a form; one that the service sets itself is reported. */
export function readFormFields(
  reading: Pick<Reading, "unmet">,
  written: readonly string[] | undefined,
  resource: ResourceModel,
  pointer: string,
): readonly string[] | undefined {
  return readFieldNames(reading, written, resource, pointer)?.filter((name) => {
    const reason = reasonAgainst(resource.fields[name]!);
    if (reason !== undefined) reading.unmet.push({ pointer, reason: `Nobody fills in '${name}': ${reason}.` });
    return reason === undefined;
  });
}

/** Why nobody fills in a field, if the service sets it itself. */
function reasonAgainst({ is_owner: isOwner, computed }: FieldModel): string | undefined {
  if (isOwner === true) return "it is whoever makes the record";
  return computed === undefined ? undefined : "the basket works it out";
}

/** The fields that people may see. */
export function shownFields({ fields }: ResourceModel): readonly string[] {
  return Object.keys(fields).filter((name) => fields[name]!.type !== "password");
}

/** The fields of a list unless it names them: long texts only where nothing else says what a record is. */
export function listColumns(resource: ResourceModel): readonly string[] {
  const typeOf = (name: string) => resource.fields[name]!.type;
  const names = shownFields(resource).filter((name) => !["object", "any"].includes(typeOf(name)));
  const short = names.filter((name) => typeOf(name) !== "text");
  const isNamed = short.some((name) => ["string", "email", "reference"].includes(typeOf(name)));
  const columns = isNamed ? short : names;
  return (columns.length > 0 ? columns : ["id"]).slice(0, 5);
}

/** The fields that people fill in: not those that the service sets itself. */
export function formFields({ fields }: ResourceModel): readonly string[] {
  return Object.keys(fields).filter((name) => reasonAgainst(fields[name]!) === undefined);
}

/** Whether a field is one of few values, so that a filter by it helps. */
export function isChosen(field: FieldModel | undefined): boolean {
  return field !== undefined && ["enum", "boolean", "reference"].includes(field.type);
}

/** The fields that a list is sorted by: the ids of a reference are in no order that people know. */
export function sortable({ sort, fields }: ResourceModel, columns: readonly string[]): readonly string[] {
  return columns.filter((name) => sort.includes(name) && fields[name]?.type !== "reference");
}

/** The field whose picture is shown: it holds an address. */
export function readImage(
  { unmet }: Reading,
  image: string | undefined,
  { fields }: ResourceModel,
  pointer: string,
): { readonly image?: string } {
  if (image === undefined) return {};
  if (Object.hasOwn(fields, image) && fields[image]!.type === "url") return { image };
  unmet.push({ pointer, reason: `There is no field '${image}' of the type 'url'.` });
  return {};
}

/** The lists of records that refer to a record of this resource. */
export function relatedOf(
  { keys, resources, unmet }: Reading,
  written: readonly string[],
  { name }: ResourceModel,
  pointer: string,
): readonly Related[] {
  return written.flatMap((wanted, index) => {
    const resource = resourceNamed(resources, wanted);
    const field = resource && referenceTo(resource, name);
    if (resource === undefined || field === undefined) {
      const reason =
        resource === undefined ? `There is no '${wanted}' in 'data_model'.` : "None of its fields refers to this.";
      unmet.push({ pointer: `${pointer}/${pointerPart(String(index))}`, reason });
      return [];
    }
    return [
      {
        resource: resource.name,
        field,
        title: labelled(placeOf(resource).split("/").at(-1) ?? resource.title),
        title_field: titleFieldOf(keys, resource),
        columns: listColumns(resource).filter((column) => column !== field),
      },
    ];
  });
}

/** The field of a resource that leads to a record of another. */
export function referenceTo({ fields, parent }: ResourceModel, name: string): string | undefined {
  if (parent?.resource === name) return parent.field;
  return Object.keys(fields).find((field) => fields[field]!.type === "reference" && fields[field]!.to === name);
}
