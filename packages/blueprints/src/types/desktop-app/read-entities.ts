import type { CompleteSpec } from "@slipway/spec";
import { unknownKeys } from "../../kit/not-built.ts";
import { pointerPart } from "../../kit/pointer.ts";
import { type Fields, fieldsOf, numberOf, textOf, textsOf } from "../../kit/read-value.ts";
import { SafeNames } from "../../kit/safe-name.ts";
import type { Unmet } from "../../plugin.ts";

export interface Entity extends Fields {
  readonly name: string;
  readonly path: string;
  readonly titleField: string;
  readonly fields: readonly (Fields & { readonly name: string })[];
}

const types = ["string", "text", "integer", "number", "boolean", "date", "enum"];

/** Reads the entities that the app stores; without `data_model`, notes. */
export function readEntities(document: CompleteSpec, unmet: Unmet[]): readonly Entity[] {
  const files = new SafeNames();
  const paths = new Set<string>();
  const given = Object.entries(fieldsOf(fieldsOf(document)["data_model"]));
  const defaultEntity: [string, unknown] = [
    "note",
    { fields: { title: { type: "string", required: true }, text: { type: "text" } } },
  ];
  return (given.length > 0 ? given : [defaultEntity]).map(([name, value]) => {
    const pointer = `/data_model/${pointerPart(name)}`;
    const entity = fieldsOf(value);
    unmet.push(
      ...unknownKeys(entity, ["path", "title_field", "fields", "search", "filters"], pointer, "what an app keeps"),
    );
    const file = files.take(`${name}s`);
    const fields = fieldsIn(fieldsOf(entity["fields"]), pointer, unmet);
    const named = (key: string, fallback: readonly string[]) => {
      const wanted = textsOf(entity[key]);
      const known = wanted.filter((one) => fields.some((field) => field.name === one));
      if (known.length < wanted.length)
        unmet.push({ pointer: `${pointer}/${key}`, reason: "Not all of these are fields." });
      return entity[key] === undefined ? fallback : known;
    };
    const texts = fields.filter(({ type }) => type === "string" || type === "text").map((field) => field.name);
    const title = textOf(entity["title_field"], "");
    return {
      name,
      file,
      path: pathOf(entity["path"], file, paths, pointer, unmet),
      titleField: fields.some((field) => field.name === title) ? title : fields[0]!.name,
      fields,
      search: named("search", texts),
      filters: named("filters", []),
    };
  });
}

function pathOf(value: unknown, file: string, taken: Set<string>, pointer: string, unmet: Unmet[]): string {
  const isUsable =
    typeof value === "string" && /^(?:\/[\w-]+)+$/.test(value) && !/^\/(?:ui|health|api\/quit)(?:\/|$)/.test(value);
  const isFree =
    isUsable &&
    ![...taken].some((other) => other === value || other.startsWith(`${value}/`) || value.startsWith(`${other}/`));
  const path = isFree ? value : `/api/${file}`;
  if (value !== undefined && !isFree) unmet.push({ pointer: `${pointer}/path`, reason: `It is kept at ${path}.` });
  taken.add(path);
  return path;
}

function fieldsIn(given: Fields, pointer: string, unmet: Unmet[]) {
  const fields = Object.entries(given).flatMap(([name, value]) => {
    if (/^[A-Za-z_]\w{0,60}$/.test(name) && !(name in {}) && name !== "id")
      return [fieldOf(name, value, pointer, unmet)];
    unmet.push({ pointer: `${pointer}/fields`, reason: `${name} cannot be the name of a field.` });
    return [];
  });
  return fields.length > 0 ? fields : [fieldOf("title", { required: true }, "", [])];
}

function fieldOf(name: string, value: unknown, pointer: string, unmet: Unmet[]) {
  const field = typeof value === "string" ? { type: value } : fieldsOf(value);
  const values = [...new Set(textsOf(field["values"]))];
  const wanted = textOf(field["type"], values.length > 0 ? "enum" : "string");
  const isKnown = types.includes(wanted) && (wanted !== "enum" || values.length > 0);
  if (!isKnown)
    unmet.push({ pointer: `${pointer}/fields/${name}`, reason: `A field of the type ${wanted} is kept as a string.` });
  const type = isKnown ? wanted : "string";
  const isNumber = type === "integer" || type === "number";
  const limit = (key: string, isMeant: boolean) =>
    isMeant && typeof field[key] === "number" ? numberOf(field[key], 0) : null;
  const initial = field["default"];
  const kind = isNumber ? "number" : type === "boolean" ? "boolean" : "string";
  const isInitial = typeof initial === kind && (type !== "enum" || values.includes(String(initial)));
  return {
    name,
    type,
    label: textOf(field["label"], name.replaceAll("_", " ")),
    required: field["required"] === true,
    maxLength: limit("max_length", type === "string" || type === "text"),
    min: limit("min", isNumber),
    max: limit("max", isNumber),
    values: type === "enum" ? values : null,
    initial: isInitial ? initial : type === "boolean" ? false : null,
  };
}
