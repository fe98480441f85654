/** Values of a document get into generated files only through these functions, which escape them. */

/** A JavaScript expression; also JSON and, except for true, false and null, Python. */
export function js(value: unknown): string {
  return escaped(JSON.stringify(value) ?? "null");
}

function escaped(json: string): string {
  return json.replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029").replaceAll("<", "\\u003c");
}

/** A Python expression. */
export function py(value: unknown): string {
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) return `[${value.map(py).join(", ")}]`;
  if (typeof value === "object")
    return `{${Object.entries(value)
      .map(([key, member]) => `${py(key)}: ${py(member)}`)
      .join(", ")}}`;
  return js(value);
}

/** Source without what its texts say: a name in there is none that the source uses. */
export function withoutTexts(source: string): string {
  return source.replace(/"(?:[^"\\]|\\.)*"/g, '""');
}

/** Text of an HTML page, or of an attribute in double quotes. */
export function html(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Text in Markdown: on one line, without markup. */
export function markdown(text: string): string {
  return oneLine(text).replace(/[\\`*_{}[\]<>()#+!|~&-]/g, "\\$&");
}

/** One shell argument. */
export function shell(text: string): string {
  return /^[\w./:=@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Part of a comment in any language: on one line, and it cannot end the comment. */
export function comment(text: string): string {
  return oneLine(text).replaceAll("*/", "* /").replaceAll("-->", "-- >").replaceAll('"""', "''");
}

function oneLine(text: string): string {
  return text.replace(/\p{Cc}+|[\u2028\u2029]/gu, " ").trim();
}
