import type { Component } from "./component.ts";
import { component } from "./make-component.ts";

export function* readGoSum(text: string, path: string): Generator<Component> {
  for (const [index, line] of text.split("\n").entries()) {
    const [, name, version] = /^\s*(\S+)\s+v([^\s/]+)\s+h1:/.exec(line) ?? [];
    if (name !== undefined) yield component("Go", name, version, path, index + 1);
  }
}

/** What is required, and what is taken instead; a module that a folder of the project replaces is its own. */
export function* readGoMod(text: string, path: string): Generator<Component> {
  const required: Component[] = [];
  const own = new Set<string>();
  let block = "";
  for (const [index, line] of text.split("\n").entries()) {
    const words = (line.replace(/\/\/.*/, "").match(/[^\s"`]+/g) ?? []).slice(0, 8);
    if (words[0] === ")") block = "";
    else if (words[1] === "(") block = words[0] ?? "";
    else {
      const [verb = "", ...rest] = block === "" ? words : [block, ...words];
      const at = rest.indexOf("=>");
      const [name = "", version] = verb === "replace" ? rest.slice(at + 1) : rest;
      if (verb === "replace" && /^\.{0,2}\//.test(name)) own.add(rest[0] ?? "");
      else if (name !== "" && (verb === "require" || verb === "replace"))
        required.push(component("Go", name, version?.replace(/^v/, ""), path, index + 1));
    }
  }
  yield* required.filter(({ name }) => !own.has(name));
}

/** What `go mod vendor` has put beside the list. */
export function* readGoVendor(text: string, path: string): Generator<Component> {
  for (const [index, line] of text.split("\n").entries()) {
    const words = /^# (.{1,3000})$/.exec(line)?.[1]?.trim().split(/\s+/) ?? [];
    const [name = "", version] = words.slice(words.indexOf("=>") + 1);
    if (version?.startsWith("v")) yield component("Go", name, version.slice(1), path, index + 1);
  }
}
