import type { DocumentToBuild } from "../../kit/outcome-type.ts";
import { plural } from "../../kit/plural.ts";
import { pointerPart } from "../../kit/pointer.ts";
import { markdown } from "../../kit/quote.ts";
import { type Entity as KeptEntity, readEntities } from "../../kit/read-entities.ts";
import { SafeNames } from "../../kit/safe-name.ts";
import type { Unmet } from "../../plugin.ts";

/** A kind of records, with its file and its path on the app's server. */
export interface Entity extends KeptEntity {
  readonly file: string;
  /** The file that it had under another name. */
  readonly fileWas?: string;
  readonly path: string;
  readonly search: readonly string[];
  readonly filters: readonly string[];
}

const notes = { note: { fields: { title: { type: "string", required: true }, text: { type: "text" } } } } as const;

/** Reads what the app keeps; without `data_model`, notes. */
export function readRecords(
  { data_model: model }: DocumentToBuild<"desktop-app">,
  unmet: Unmet[],
): { readonly entities: readonly Entity[]; readonly about: readonly string[] } {
  const files = new SafeNames();
  const paths = new Set<string>();
  const { entities } = readEntities(model, notes, unmet);
  const about: string[] = [];
  const whole = entities.map((entity) => {
    const given = model?.[entity.name];
    const pointer = `/data_model/${pointerPart(entity.name)}`;
    const file = files.take(`${entity.name}s`);
    const safe = new SafeNames().take(entity.name);
    const names = entity.fields.map(({ name }) => name);
    const named = (key: "search" | "filters", fallback: readonly string[]) => {
      const wanted = given?.[key]?.map((name) => name);
      if (wanted?.some((name) => !names.includes(name)))
        unmet.push({ pointer: `${pointer}/${key}`, reason: "Not all of these are fields." });
      return wanted?.filter((name) => names.includes(name)) ?? fallback;
    };
    if (given?.description !== undefined) about.push(`- **${markdown(entity.name)}**: ${markdown(given.description)}`);
    const texts = entity.fields.filter(({ type }) => ["string", "text", "email", "url", "enum"].includes(type));
    const filterable = entity.fields.filter(({ type }) => type !== "text");
    return {
      ...entity,
      file,
      ...(entity.was !== undefined && { fileWas: new SafeNames().take(`${entity.was}s`) }),
      path: pathOf(given?.path, plural(safe), paths, pointer, unmet),
      search: named(
        "search",
        texts.map(({ name }) => name),
      ),
      filters: named(
        "filters",
        filterable.map(({ name }) => name),
      ),
    };
  });
  return { entities: whole, about: about.length === 0 ? [] : [`## What it keeps\n\n${about.join("\n")}`] };
}

function pathOf(wanted: string | undefined, name: string, taken: Set<string>, pointer: string, unmet: Unmet[]): string {
  const isUsable = (path: string) =>
    /^(?:\/[\w-]+)+$/.test(path) &&
    !/^\/(?:ui|records|windows|health|api\/quit)(?:\/|$)/.test(path) &&
    ![...taken].some((other) => other === path || other.startsWith(`${path}/`) || path.startsWith(`${other}/`));
  const own = `/api/${name}`;
  const candidates = [...(wanted === undefined ? [] : [wanted]), own];
  for (let number = 2; number <= taken.size + 2; number += 1) candidates.push(`${own}-${number}`);
  const path = candidates.find(isUsable)!;
  if (wanted !== undefined && path !== wanted)
    unmet.push({ pointer: `${pointer}/path`, reason: `It is kept at ${path}.` });
  taken.add(path);
  return path;
}
