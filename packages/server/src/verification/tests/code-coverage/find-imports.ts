import { dirname, join } from "node:path/posix";
import type { Language } from "../test-files.ts";
import type { SourceText } from "./source-lines.ts";

/** No honest file names more. */
const maxImports = 2_000;

/** What a source takes from other files, by the look of it: paths from the project's folder on, most without an ending. */
export function findImports({ path, text, language }: SourceText): readonly string[] {
  const found = new Set<string>();
  for (const match of text.matchAll(looks[language])) {
    for (const one of pathsOf[language](dirname(path), match)) if (!one.startsWith("..")) found.add(one);
    if (found.size > maxImports) break;
  }
  return [...found];
}

/** Bounded everywhere: a source may be written so that a search takes long. */
const looks: Readonly<Record<Language, RegExp>> = {
  javascript: /(?:from|import|require|URL)\s{0,9}\(?\s{0,9}["'`](\.{1,2}\/[^"'`\n]{1,300})["'`]/g,
  python:
    /^[ \t]{0,80}(?:from|import)[ \t]{1,9}(\.{0,9}[\w.]{0,200})(?:[ \t]{1,9}import[ \t]{1,9}\(?([\w, \t]{1,300}))?/gm,
  go: /"([\w.~-]{1,100}(?:\/[\w.~-]{1,100}){1,20})"/g,
  rust: /"([^"\n]{1,300}\.rs)"/g,
};

const pathsOf: Readonly<Record<Language, (folder: string, match: RegExpExecArray) => readonly string[]>> = {
  javascript: (folder, [, path]) => [join(folder, path!)],
  python: (folder, [, dotted, names = ""]) => {
    const dots = /^\.*/.exec(dotted!)![0].length;
    const inner = dotted!.slice(dots).replaceAll(".", "/");
    const from = dots === 0 ? [".", folder, "src"] : [join(folder, "../".repeat(dots - 1))];
    const modules = [inner, ...names.split(",").map((name) => join(inner, name.trim().split(/\s/)[0]!))];
    return from.flatMap((start) => modules.map((one) => join(start, one)));
  },
  // By its module's name, which nobody here knows: each end of it may be a folder.
  go: (_, [, path]) =>
    path!
      .split("/")
      .map((_name, index, parts) => parts.slice(index).join("/"))
      .slice(1),
  rust: (folder, [, path]) => [join(folder, path!)],
};
