/** Records as a document for people, or for other programs. */
export function exportRecords(entity, records, format) {
  if (format === "json") return { type: "application/json; charset=utf-8", text: `${JSON.stringify(records, undefined, 2)}\n` };
  const parts = records.map((record) => {
    const others = entity.fields.filter(({ name }) => name !== entity.titleField && record[name] !== null && record[name] !== undefined);
    const lines = others.map(({ name, label }) => `**${label}:** ${String(record[name]).replaceAll("\n", "  \n")}`);
    return [`## ${String(record[entity.titleField] ?? "").replaceAll("\n", " ")}`, ...lines].join("\n\n");
  });
  return { type: "text/markdown; charset=utf-8", text: `${parts.join("\n\n")}\n` };
}
