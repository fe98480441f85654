import type { Component } from "./component.ts";
import { keyLines } from "./key-lines.ts";
import { component, type Json } from "./make-component.ts";

export function* readRequirements(text: string, path: string): Generator<Component> {
  for (const [index, line] of text.split("\n").entries()) {
    const [, name, version] =
      /^\s*([A-Za-z0-9][\w.-]*)\s*(?:\[[^\]]*\])?\s*(?:={2,3}\s*([\w.!+-]+))?(?:[\s;#<>=!~,@]|$)/.exec(line) ?? [];
    if (name !== undefined) yield component("PyPI", name, version, path, index + 1);
  }
}

export function* readPipfileLock(text: string, path: string): Generator<Component> {
  const lock = JSON.parse(text) as Record<string, Json | undefined>;
  const lineOf = keyLines(text);
  for (const kind of ["default", "develop"])
    for (const [name, value] of Object.entries(lock[kind] ?? {}))
      yield component(
        "PyPI",
        name,
        String((value as { version?: unknown })?.version ?? "").replace(/^==/, "") || undefined,
        path,
        lineOf(name),
        { isDevelopment: kind === "develop" },
      );
}

export function* readPyproject(text: string, path: string): Generator<Component> {
  const head = /^dependencies\s*=\s*\[/m.exec(text);
  if (head === null) return;
  const line = text.slice(0, head.index).split("\n").length;
  const from = head.index + head[0].length;
  const list = firstList(text.slice(from));
  if (list === undefined) throw new Error("The list of dependencies has no end.");
  // In the other quotation marks, a text may have marks of its own.
  for (const [, double, single = ""] of list.matchAll(/"([^"\n]+)"|'([^'\n]+)'/g))
    for (const one of readRequirements(double ?? single, path)) yield { ...one, line };
}

/** What stands before the bracket that ends a list: the last one of its line, or one at the beginning of a line. */
function firstList(text: string): string | undefined {
  const [row = ""] = text.split("\n", 1);
  if (/\][ \t]{0,99}$/.test(row)) return row.slice(0, row.lastIndexOf("]"));
  const end = text.indexOf("\n]");
  return end === -1 ? undefined : text.slice(0, end);
}
