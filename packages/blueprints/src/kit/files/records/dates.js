/** Days are texts such as 2026-03-01: they sort by themselves, and have no time zone. */

export function dayOf(date) {
  const two = (number) => String(number).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** Null if that is too far away to be written. */
export function addDays(day, count) {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + Math.round(count));
  const text = Number.isNaN(date.getTime()) ? "" : date.toISOString();
  return /^\d{4}-/.test(text) ? text.slice(0, 10) : null;
}

export function daysBetween(from, to) {
  return Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / 86_400_000);
}

export function isDay(text) {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(`${text}T00:00:00Z`)) && addDays(text, 0) === text;
}

/** A value of the model as a day or whatever it is: `today`, `tomorrow`, `{ days_ago: 4 }`, or the value itself. */
export function resolve(value, today) {
  if (value === "today") return today;
  if (value === "tomorrow") return addDays(today, 1);
  if (value === "yesterday") return addDays(today, -1);
  if (typeof value !== "object" || value === null) return value;
  return addDays(today, value.days_from_now ?? -value.days_ago);
}
