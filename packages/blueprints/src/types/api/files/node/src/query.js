import { comparable, timeOf } from "./expressions.js";
import { HttpError } from "./http.js";

const defaultLimit = 100;
const highestLimit = 1000;

/** The records that a query asks for: filtered, searched, sorted, and of those one page. */
export function select(resource, records, query) {
  const found = records.filter(
    (record) => matchesFilters(resource, record, query) && matchesSearch(resource, record, query),
  );
  const sorted = sort(resource, found, query);
  const { limit, offset } = pageOf(query, resource.page_size ?? defaultLimit);
  return { items: sorted.slice(offset, offset + limit), total: sorted.length, limit, offset };
}

/** `?status=open`: equal to the value, or to one of several; in a list, one of the entries. `?seats_min=4`: in a range. */
function matchesFilters({ filters }, record, query) {
  return filters.every((name) => {
    if (!isInRange(record[name], query.get(`${name}_min`), query.get(`${name}_max`))) return false;
    const wanted = query.getAll(name).flatMap((value) => [value, ...value.split(",")]);
    if (wanted.length === 0) return true;
    const value = record[name] ?? "";
    return (Array.isArray(value) ? value : [value]).some((entry) => wanted.includes(String(entry)));
  });
}

/** Numbers are compared as numbers, days and moments as points in time. What is empty is in no range. */
function isInRange(value, min, max) {
  if (min === null && max === null) return true;
  if (value === null || value === undefined) return false;
  const isAtLeast = (a, b) => {
    const [x, y] = typeof value === "number" ? [Number(a), Number(b)] : comparable(String(a), String(b));
    return x >= y;
  };
  return (min === null || isAtLeast(value, min)) && (max === null || isAtLeast(max, value));
}

/** `?q=word`: all words are somewhere in the texts, whatever their case. */
function matchesSearch({ search }, record, query) {
  const words = (query.get("q") ?? query.get("search") ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  const text = search
    .map((name) => String(record[name] ?? ""))
    .join("\n")
    .toLowerCase();
  return words.every((word) => text.includes(word));
}

/** `?sort=name`, `?sort=-name` or `?sort=name&order=desc`; else in the order of the resource. */
function sort({ fields, sort: sortable, order }, records, query) {
  const asked = query.get("sort");
  const wanted = asked ?? order ?? "";
  const name = wanted.replace(/^[-+ ]/, "");
  if (asked !== null && !sortable.includes(name))
    throw new HttpError(400, "bad_query", `'sort' must be one of ${sortable.join(", ")}, not '${name}'.`);
  if (name === "") return records;
  const direction = wanted.startsWith("-") || query.get("order") === "desc" ? -1 : 1;
  const rank = rankOf(fields[name]);
  return records.toSorted((a, b) => compare(rank(a[name]), rank(b[name]), direction));
}

/** The values of an enum come in the order in which they are declared, and moments as they follow each other. */
function rankOf(field) {
  if (field?.type === "enum") return (value) => field.values.indexOf(value);
  return field?.type === "datetime" ? timeOf : (value) => value;
}

/** What is empty comes last, whatever the direction. */
function compare(a, b, direction) {
  if (a === b) return 0;
  if (a === null || a === undefined) return 1;
  if (b === null || b === undefined) return -1;
  return a < b ? -direction : direction;
}

/** `?limit=20&offset=40`, or the same as `?per_page=20&page=3`. */
function pageOf(query, pageSize) {
  const number = (names, lowest, fallback) => {
    const name = names.find((candidate) => query.has(candidate));
    if (name === undefined) return fallback;
    const value = Number(query.get(name));
    if (query.get(name) !== "" && Number.isSafeInteger(value) && value >= lowest) return value;
    throw new HttpError(400, "bad_query", `'${name}' must be a whole number from ${lowest}.`);
  };
  const limit = Math.min(highestLimit, number(["limit", "per_page", "page_size"], 1, pageSize));
  return { limit, offset: number(["offset"], 0, (number(["page"], 1, 1) - 1) * limit) };
}
