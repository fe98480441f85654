import type { TypeKeys } from "@slipway/spec";
import { pointerPart } from "../../kit/pointer.ts";
import type { Unmet } from "../../plugin.ts";
import type { ResourceModel } from "../api/model.ts";

/** The resource that a document calls so. */
export function resourceNamed(resources: readonly ResourceModel[], word: string): ResourceModel | undefined {
  return resources.find(({ title }) => title === spaced(word));
}

/** The field that a record is called by: the declared one, else `name` or `title`, else the first that is a text. */
export function titleFieldOf({ data_model: declared = {} }: TypeKeys<"web-app">, resource: ResourceModel): string {
  const { title, fields } = resource;
  const written = Object.entries(declared).find(([word]) => spaced(word) === title)?.[1].title_field;
  if (written !== undefined && Object.hasOwn(fields, written)) return written;
  const names = Object.keys(fields).filter((name) => fields[name]!.type !== "password");
  return (
    names.find((name) => /^(?:name|title|label|subject)$/i.test(name)) ??
    names.find((name) => ["string", "email"].includes(fields[name]!.type)) ??
    "id"
  );
}

/** What records are said to be called by that is no field of theirs. */
export function unmetTitles(
  { data_model: declared = {} }: TypeKeys<"web-app">,
  resources: readonly ResourceModel[],
): readonly Unmet[] {
  return Object.entries(declared).flatMap(([word, { title_field: written }]) => {
    const fields = resourceNamed(resources, word)?.fields;
    if (written === undefined || fields === undefined || Object.hasOwn(fields, written)) return [];
    const reason = `There is no field '${written}': there is ${Object.keys(fields).join(", ") || "none"}.`;
    return [{ pointer: `/data_model/${pointerPart(word)}/title_field`, reason }];
  });
}

/** A name as words: `order_item` is `Order item`. */
export function labelled(name: string): string {
  const words = name.replace(/[-_]+/g, " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function spaced(word: string): string {
  return word.replaceAll("_", " ");
}
