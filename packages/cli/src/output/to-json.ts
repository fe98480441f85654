import { unseen } from "./printable.ts";

/** Indented JSON: for programs, and readable. What terminals obey is escaped, for a person may read it in one. */
export function toJson(value: unknown): string {
  return escapeUnseen(JSON.stringify(value, null, 2));
}

/** The same on one line. */
export function toJsonLine(value: unknown): string {
  return escapeUnseen(JSON.stringify(value));
}

/** Between the values there is nothing but line breaks; within them they are escaped already. */
function escapeUnseen(json: string): string {
  return json.replace(unseen, (sign) =>
    sign === "\n" ? sign : `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
