import { parseSync, Visitor } from "oxc-parser";

/** What a file takes from elsewhere: by `import`, `export … from`, `import()` or a type's `import("…")`. */
export interface Import {
  readonly specifier: string;
  readonly line: number;
  /** It is gone when the file runs. */
  readonly isTypeOnly: boolean;
}

/** All imports of a file, in their order. Those whose specifier is known only when the file runs are left out. */
export function readImports(path: string, text: string): Import[] {
  const { module, program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path} cannot be read: ${errors[0]!.message}`);

  const found: { specifier: string; start: number; isTypeOnly: boolean }[] = [];
  for (const { moduleRequest, entries, start } of module.staticImports) {
    found.push({ specifier: moduleRequest.value, start, isTypeOnly: isErased(entries, start) });
  }
  for (const { entries, start } of module.staticExports) {
    const specifier = entries[0]?.moduleRequest?.value;
    if (specifier !== undefined) found.push({ specifier, start, isTypeOnly: isErased(entries, start) });
  }
  for (const { moduleRequest, start } of module.dynamicImports) {
    const literal = /^(["'`])([^"'`$]+)\1$/.exec(text.slice(moduleRequest.start, moduleRequest.end));
    if (literal) found.push({ specifier: literal[2]!, start, isTypeOnly: false });
  }
  new Visitor({
    TSImportType({ source, start }) {
      found.push({ specifier: source.value, start, isTypeOnly: true });
    },
  }).visit(program);

  return found
    .sort((a, b) => a.start - b.start)
    .map(({ start, ...rest }) => ({ ...rest, line: text.slice(0, start).split("\n").length }));

  /** `import { type A }` is not: what it imports from is still loaded. */
  function isErased(entries: readonly { isType: boolean }[], start: number): boolean {
    return entries.length > 0 && entries.every(({ isType }) => isType) && /^\w+\s+type\b/.test(text.slice(start));
  }
}
