/** The keys that lead to a place in a YAML text, by its indentation: `acceptance.http_endpoints.path`. */
export function keyPathAt(text: string, offset: number): { readonly path: string; readonly isOnKey: boolean } {
  const lines = text.slice(0, text.indexOf("\n", offset) === -1 ? undefined : text.indexOf("\n", offset)).split("\n");
  const last = lines.pop() ?? "";
  const own = readKey(last);
  const keys = own === undefined ? [] : [own.key];
  let indent = own?.indent ?? last.search(/\S|$/);
  for (const line of lines.reverse()) {
    const found = readKey(line);
    if (found === undefined || found.indent >= indent) continue;
    keys.unshift(found.key);
    indent = found.indent;
  }
  return { path: keys.join("."), isOnKey: own !== undefined };
}

/** The key of a line and the column where it begins; the dash of a list is part of its indentation. */
function readKey(line: string): { readonly key: string; readonly indent: number } | undefined {
  const [, before = "", key] = /^(\s*(?:- +)*)([A-Za-z_][\w.-]*) *:(?: |$)/.exec(line) ?? [];
  return key === undefined ? undefined : { key, indent: before.length };
}
