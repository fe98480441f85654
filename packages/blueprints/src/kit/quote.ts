/** Values of a document go into sources through these, and in no other way: whatever they hold, they stay values. */

/** As an expression of JavaScript; also of JSON and, but for true, false and null, of Python. */
export function js(value: unknown): string {
  return escaped(JSON.stringify(value) ?? "null");
}

function escaped(json: string): string {
  return json.replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029").replaceAll("<", "\\u003c");
}

/** As an expression of Python. */
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

/** As text of a page, or of an attribute in double quotes. */
export function html(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** As text of a Markdown file: on one line, and nothing of it is markup. */
export function markdown(text: string): string {
  return oneLine(text).replace(/[\\`*_{}[\]<>()#+!|~&-]/g, "\\$&");
}

/** As one argument of a shell. */
export function shell(text: string): string {
  return /^[\w./:=@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** As part of a comment, in whatever language: on one line, and it ends nothing. */
export function comment(text: string): string {
  return oneLine(text).replaceAll("*/", "* /").replaceAll("-->", "-- >").replaceAll('"""', "''");
}

function oneLine(text: string): string {
  return text.replace(/\p{Cc}+|[\u2028\u2029]/gu, " ").trim();
}
