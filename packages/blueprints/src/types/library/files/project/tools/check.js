// Ends with 0 when every export has a type and is documented.
import { readFile } from "node:fs/promises";
import * as library from "../src/index.js";

const [types, readme] = await Promise.all(
  ["../types/index.d.ts", "../README.md"].map((file) => readFile(new URL(file, import.meta.url), "utf8")),
);
const names = Object.keys(library);
const lacking = names.filter((name) => !types.includes(` ${name}`) || !readme.includes(`### \`${name}(`));
for (const name of lacking) console.error(`${name} has no type, or is not in the README.`);
if (lacking.length === 0) console.log(`${names.length} exports, all typed and documented.`);
process.exitCode = lacking.length === 0 ? 0 : 1;
