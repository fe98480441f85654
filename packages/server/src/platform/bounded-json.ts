/** Whatever walks through a value calls itself for each level, and reading millions of levels takes seconds. */
export const maxJsonDepth = 500;

/** The value of a JSON text that a stranger wrote; undefined if it is none, or nested too deeply. */
export function parseJson(text: string): { readonly value: unknown } | undefined {
  if (isDeepJson(text)) return undefined;
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

/** Whether lists and objects lie inside each other more than `maxJsonDepth` levels deep. */
export function isDeepJson(text: string): boolean {
  let depth = 0;
  let isString = false;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at];
    if (isString) {
      if (sign === "\\") at += 1;
      else if (sign === '"') isString = false;
    } else if (sign === '"') isString = true;
    else if (sign === "[" || sign === "{") {
      depth += 1;
      if (depth > maxJsonDepth) return true;
    } else if (sign === "]" || sign === "}") depth -= 1;
  }
  return false;
}
