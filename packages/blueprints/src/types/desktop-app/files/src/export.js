import { guarded, writeCsv } from "./csv.js";
import { shown } from "./records/controls.js";

/** Records, with what is computed of them, as a file for people or for other programs. */
export function exportRecords(entity, records, format) {
  if (format === "json") return { type: "application/json; charset=utf-8", text: `${JSON.stringify(records, undefined, 2)}\n` };
  if (format === "csv") return { type: "text/csv; charset=utf-8", text: csvOf(entity, records) };
  return { type: "text/markdown; charset=utf-8", text: markdownOf(entity, records) };
}

function csvOf(entity, records) {
  const names = ["id", ...entity.fields.map(({ name }) => name), ...entity.computed.map(({ name }) => name)];
  const cell = (value) => (typeof value === "string" ? guarded(value) : String(value ?? ""));
  return writeCsv([names, ...records.map((record) => names.map((name) => cell(record[name])))]);
}

function markdownOf(entity, records) {
  const parts = records.map((record) => {
    const others = [...entity.fields, ...entity.computed].filter(({ name }) => name !== entity.titleField && (record[name] ?? null) !== null);
    const lines = others.map(({ name, label }) => `**${label}:** ${shown(entity, name, record[name]).replaceAll("\n", "  \n")}`);
    return [`## ${String(record[entity.titleField] ?? "").replaceAll("\n", " ")}`, ...lines].join("\n\n");
  });
  return `${parts.join("\n\n")}\n`;
}
