// Takes the types out of every module of src, which gives the JavaScript in dist. Node does it: no package is needed.
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { stripTypeScriptTypes } from "node:module";

// Node says that it may still change how it does this; the result is checked by the tests.
process.removeAllListeners("warning");

const [from, to] = ["../src/", "../dist/"].map((folder) => new URL(folder, import.meta.url));
await rm(to, { recursive: true, force: true });
await mkdir(to, { recursive: true });
const files = (await readdir(from)).filter((file) => file.endsWith(".ts"));
for (const file of files) {
  const source = stripTypeScriptTypes(await readFile(new URL(file, from), "utf8"));
  const imports = source.replace(/(from "\.\/[^"]+)\.ts";/g, '$1.js";');
  await writeFile(new URL(file.replace(/\.ts$/, ".js"), to), imports);
}
