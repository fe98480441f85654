import { isHugeJson, maxJsonDepth } from "../../platform/bounded-json.ts";

/** Why an answer cannot be read as JSON. */
export function notJson(text: string): string {
  // An answer is at most a megabyte, which has no more values than are read.
  return isHugeJson(text) ? `the answer is nested more than ${maxJsonDepth} levels deep` : "the answer is not JSON";
}

/** What is at a JSON Pointer; undefined if nothing is. */
export function valueAt(value: unknown, pointer: string): { readonly value: unknown } | undefined {
  let found = value;
  for (const part of pointer.split("/").slice(1)) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, key)) return undefined;
    // The length of a list is none of its values.
    if (Array.isArray(found) && !/^(?:0|[1-9]\d*)$/.test(key)) return undefined;
    found = (found as Record<string, unknown>)[key];
  }
  return { value: found };
}
