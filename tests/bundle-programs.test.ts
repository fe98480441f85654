import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { bundleProgram, findBundle, withoutImportsOfNode } from "../tools/bundle-programs.ts";

let folder: string;
let entry: string;
const bundle = () => bundleProgram({ entry, folder: join(folder, "dist") });
const output = (program: string) => execFileSync(process.execPath, [program], { encoding: "utf8" });

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "slipway-bundle-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, "src"));
  entry = join(folder, "src/main.ts");
  write("src/word.ts", "export const word: string = 'one';");
  write("src/main.ts", "import { word } from './word.ts';\nconsole.log(word);");
});

test("a bundle is found until a file that went into it changes or goes", async () => {
  const found = () => findBundle(join(folder, "dist"));
  expect(found()).toBeUndefined();
  const program = await bundle();
  expect(found()).toBe(program);
  expect(output(program)).toBe("one\n");

  write("src/word.ts", "export const word: string = 'two';");
  expect(found()).toBeUndefined();
  expect(output(await bundle())).toBe("two\n");
  expect(found()).toBeDefined();

  rmSync(join(folder, "src/word.ts"));
  expect(found()).toBeUndefined();
});

test("a program that runs still finds the bundle that it was started from", async () => {
  const first = await bundle();
  write("src/word.ts", "export const word: string = 'two';");
  await bundle();
  expect(output(first)).toBe("one\n");

  write("src/word.ts", "export const word: string = 'three';");
  await bundle();
  expect(readdirSync(join(folder, "dist")).filter((name) => name !== "current.json")).toHaveLength(2);
});

test("a bundled file finds its neighbours by its address, and texts that name an address stay as they are", async () => {
  write(
    "src/main.ts",
    `import { readFileSync } from "node:fs";
     console.log(readFileSync(new URL("./near.txt", import.meta.url), "utf8"), "new URL('.', import.meta.url)");`,
  );
  write("src/near.txt", "near");
  expect(output(await bundle())).toBe("near new URL('.', import.meta.url)\n");
});

/** Each time a minute older than now and newer than before: what is saved while a bundle is made would not count. */
let savedAtSeconds = Date.now() / 1000 - 3_600;
function write(path: string, text: string): void {
  writeFileSync(join(folder, path), text);
  savedAtSeconds += 1;
  utimesSync(join(folder, path), savedAtSeconds, savedAtSeconds);
}

test("a program's parts of Node are taken without reading all their exports", () => {
  const lines = [
    'import { a, b as c } from "node:fs";',
    'import * as all from "node:path";',
    'import one, { two as three } from "node:events";',
    'import { d } from "./d.mjs";',
  ];
  expect(withoutImportsOfNode(lines.join("\n")).split("\n")).toEqual([
    'const { a, b: c } = process.getBuiltinModule("node:fs");',
    'const all = process.getBuiltinModule("node:path");',
    'const one = process.getBuiltinModule("node:events"), { two: three } = process.getBuiltinModule("node:events");',
    lines[3],
  ]);
});
