/** The records that a query asks for: every word of `q`, fields that must be equal, and the order of `sort`. */
export function find(entity, records, query) {
  const words = (query.get("q") ?? "").toLowerCase().split(/\s+/).filter((word) => word !== "");
  const references = entity.fields.filter(({ type }) => type === "reference").map(({ name }) => name);
  const filters = [...entity.filters, ...references].filter((name) => query.has(name));
  const texts = (record) => entity.search.map((name) => String(record[name] ?? "").toLowerCase()).join("\n");
  const sort = query.get("sort") ?? "-id";
  const by = sort.replace(/^-/, "");
  const direction = sort.startsWith("-") ? -1 : 1;
  return records
    .filter((record) => filters.every((name) => String(record[name] ?? "") === query.get(name)))
    .filter((record) => words.every((word) => texts(record).includes(word)))
    .sort((a, b) => direction * compare(a[by] ?? null, b[by] ?? null) || a.id - b.id);
}

/** Numbers by size, and texts as people sort them; what is empty comes last. */
function compare(a, b) {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true });
}
