import type { Component } from "./component.ts";
import { component } from "./make-component.ts";

export function* readTomlPackages(text: string, path: string, ecosystem: "PyPI" | "crates.io"): Generator<Component> {
  let name: string | undefined;
  let version: string | undefined;
  let line = 1;
  let isForeign = ecosystem === "PyPI";
  let isOpen = false;
  const lines = [...text.split("\n"), "[[package]]"];
  for (const [index, row] of lines.entries()) {
    if (/^\s*["']?package["']?\s*=/.test(row)) throw new Error("The packages are not listed as the programs do.");
    if (/^\s*\[\[\s*["']?package["']?\s*\]\]/.test(row)) {
      if (isOpen && name === undefined) throw new Error("A package has no name that can be read.");
      isOpen = true;
      // A package of Cargo without a source is the project's own.
      if (name !== undefined && isForeign) yield component(ecosystem, name, version, path, line);
      [name, version, line, isForeign] = [undefined, undefined, index + 1, ecosystem === "PyPI"];
    }
    name ??= textAt(row, "name");
    version ??= textAt(row, "version");
    if (textAt(row, "source") !== undefined) isForeign = true;
    if (/^\s*source\s*=\s*\{\s*(?:virtual|editable)/.test(row)) isForeign = false;
  }
}

export function* readCargoToml(text: string, path: string): Generator<Component> {
  let isDependencies = false;
  for (const [index, line] of text.split("\n").entries()) {
    if (/^\[/.test(line)) isDependencies = /^\[(?:[\w.'()"-]+\.)?(?:dev-|build-)?dependencies\]/.test(line);
    const key = isDependencies && !/path\s*=/.test(line) ? /^([\w-]+)\s*=/.exec(line)?.[1] : undefined;
    const name = key === undefined ? undefined : (/\bpackage\s{0,9}=\s{0,9}["']([\w-]+)/.exec(line)?.[1] ?? key);
    if (name !== undefined)
      yield component("crates.io", name, /"=(\d+\.\d+\.\d[^",]{0,60})"/.exec(line)?.[1], path, index + 1);
  }
}

/** The text of a key in a row of TOML. */
export function textAt(row: string, key: string): string | undefined {
  const [, double, single] =
    new RegExp(`^\\s{0,20}["']?${key}["']?\\s{0,20}=\\s{0,20}(?:"([^"]+)"|'([^']+)')`).exec(row) ?? [];
  return double ?? single;
}
