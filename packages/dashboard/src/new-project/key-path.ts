/** A place in a YAML text, by its indentation. */
export interface YamlPlace {
  /** The keys that lead to it: `acceptance.http_endpoints.path`. */
  readonly path: string;
  /** The keys that lead to the mapping in which it stands. */
  readonly parent: string;
  /** Whether its line has a key. */
  readonly isOnKey: boolean;
  /** The column at which keys of its mapping begin. */
  readonly indent: number;
}

/** The keys that lead to a place in a YAML text. */
export function keyPathAt(text: string, offset: number): YamlPlace {
  const end = text.indexOf("\n", offset);
  const lines = text.slice(0, end === -1 ? undefined : end).split("\n");
  const last = lines.pop() ?? "";
  const own = readKey(last);
  const indent = own?.indent ?? indentOf(last);
  const above: string[] = [];
  let column = indent;
  for (const line of lines.reverse()) {
    const found = readKey(line);
    if (found === undefined || found.indent >= column) continue;
    above.unshift(found.key);
    column = found.indent;
  }
  const path = own === undefined ? above : [...above, own.key];
  return { path: path.join("."), parent: above.join("."), isOnKey: own !== undefined, indent };
}

/** The keys that stand in the same mapping as a place, as far as they are written. */
export function siblingKeys(text: string, offset: number): ReadonlySet<string> {
  const { indent } = keyPathAt(text, offset);
  const found = new Set<string>();
  const gather = (lines: readonly string[]) => {
    for (const line of lines) {
      const key = readKey(line);
      if (line.trim() !== "" && indentOf(line) < indent) return;
      if (key?.indent === indent) found.add(key.key);
      // Another item of a list is another mapping.
      if (key?.indent === indent && line.trimStart().startsWith("-")) return;
    }
  };
  const lineEnd = text.indexOf("\n", offset);
  const own = text.slice(text.lastIndexOf("\n", offset - 1) + 1, lineEnd === -1 ? undefined : lineEnd);
  const isItem = own.trimStart().startsWith("-");
  if (!isItem)
    gather(
      text
        .slice(0, text.lastIndexOf("\n", offset - 1) + 1)
        .split("\n")
        .reverse(),
    );
  const after = lineEnd === -1 ? [] : text.slice(lineEnd + 1).split("\n");
  const nextItem = after.findIndex((line) => line.trimStart().startsWith("-") && indentOf(line) === indent);
  gather(nextItem === -1 ? after : after.slice(0, nextItem));
  return found;
}

/** The column where the content of a line begins; the dash of a list is part of its indentation. */
function indentOf(line: string): number {
  return /^\s*(?:- +)*/.exec(line)![0].length;
}

/** The key of a line and the column where it begins. */
function readKey(line: string): { readonly key: string; readonly indent: number } | undefined {
  const [, key] = /^\s*(?:- +)*([A-Za-z_][\w.-]*) *:(?: |$)/.exec(line) ?? [];
  return key === undefined ? undefined : { key, indent: indentOf(line) };
}
