/** Whatever walks through a value calls itself for each level, and reading millions of levels takes seconds. */
export const maxJsonDepth = 500;
/** No text of a megabyte has more. Reading ten times as much takes a second, of which no other request gets any. */
const maxWeight = 1024 * 1024;
/** Of a key, compared to a value: objects with many keys take long. */
const keyWeight = 4;

/** The value of a JSON text that a stranger wrote; undefined if it is none, nested too deeply, or holds too many values. */
export function parseJson(text: string): { readonly value: unknown } | undefined {
  if (isHugeJson(text)) return undefined;
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

/** Whether lists and objects lie more than `maxJsonDepth` levels deep, or there are hundreds of thousands of values. */
export function isHugeJson(text: string): boolean {
  let depth = 0;
  let weight = 0;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at];
    if (sign === '"') at = endOfString(text, at);
    else if (sign === "[" || sign === "{") {
      depth += 1;
      weight += 1;
    } else if (sign === "]" || sign === "}") depth -= 1;
    else if (sign === ",") weight += 1;
    else if (sign === ":") weight += keyWeight;
    if (depth > maxJsonDepth || weight > maxWeight) return true;
  }
  return false;
}

/** Where the string that begins at a place ends. One may be a file of megabytes: nobody looks at each sign of it. */
function endOfString(text: string, from: number): number {
  for (let at = from + 1; ; ) {
    const quote = text.indexOf('"', at);
    if (quote === -1) return text.length;
    let backslashes = 0;
    while (text[quote - 1 - backslashes] === "\\") backslashes += 1;
    if (backslashes % 2 === 0) return quote;
    at = quote + 1;
  }
}
