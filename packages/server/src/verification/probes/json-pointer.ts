/** Whatever walks through a value calls itself for each level. */
const maxDepth = 500;

/** Why an answer cannot be read as JSON. */
export function notJson(text: string): string {
  return isDeep(text) ? `the answer is nested more than ${maxDepth} levels deep` : "the answer is not JSON";
}

/** The value of a JSON text that a program wrote; undefined if it is none, or nested too deeply. */
export function parseJson(text: string): { readonly value: unknown } | undefined {
  if (isDeep(text)) return undefined;
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
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

function isDeep(text: string): boolean {
  let depth = 0;
  for (const [token] of text.matchAll(/[[\]{}]|"(?:[^"\\]|\\.)*"?/gs)) {
    if (token === "[" || token === "{") depth += 1;
    else if (token === "]" || token === "}") depth -= 1;
    if (depth > maxDepth) return true;
  }
  return false;
}
