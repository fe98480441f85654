// Takes the types out of every module of src, which gives the JavaScript in dist, or in the folder that is named. Node
// does it: no package is needed.
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

// Node says that it may still change how it does this; the result is checked by the tests.
process.removeAllListeners("warning");

const [from, dist] = ["../src", "../dist"].map((folder) => fileURLToPath(new URL(folder, import.meta.url)));
const to = process.argv[2] ?? dist;
await rm(to, { recursive: true, force: true });
await mkdir(to, { recursive: true });
const files = (await readdir(from)).filter((file) => file.endsWith(".ts"));
for (const file of files) {
  const source = stripTypeScriptTypes(await readFile(join(from, file), "utf8"));
  const imports = source.replace(/(from "\.\/[^"]+)\.ts";/g, '$1.js";');
  await writeFile(join(to, file.replace(/\.ts$/, ".js")), imports);
}
