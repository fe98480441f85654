import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The few changes that an edit makes: new files from its folder, and text around a place that must be there. */
export function openProject(folder, own) {
  const read = (path) => readFileSync(join(folder, path), "utf8");
  const write = (path, content) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  };
  const change = (path, place, text, put) => {
    const before = read(path);
    const found = typeof place === "string" ? [place].find((one) => before.includes(one)) : place.exec(before)?.[0];
    // An earlier run may have done it already.
    if (before.includes(text)) return;
    if (found === undefined) throw new Error(`${path} has no ${place}`);
    write(path, before.replace(place, () => put(found)));
  };
  return {
    read,
    write,
    /** Copies files of the edit; they end in .txt there, so that no tool takes them for our own. */
    add: (...paths) => {
      for (const path of paths) write(path, readFileSync(new URL(`${path}.txt`, own), "utf8"));
    },
    after: (path, place, text) => change(path, place, text, (found) => `${found}${text}`),
    before: (path, place, text) => change(path, place, text, (found) => `${text}${found}`),
    /** Runs a program of the project. */
    run: (...command) => execFileSync(process.execPath, command, { cwd: folder, stdio: "pipe" }),
    replace: (path, place, text) => change(path, place, text, () => text),
  };
}
