import { readFile } from "node:fs/promises";
import { checkAll } from "../check/all.js";
import { description } from "../description.js";
import { renderAll } from "../render/all.js";

const root = new URL("../", import.meta.url);
const paths = Object.keys(renderAll(description));
const texts = await Promise.all(paths.map((path) => readFile(new URL(path, root), "utf8").catch(() => undefined)));
const files = Object.fromEntries(paths.map((path, index) => [path, texts[index]]));

const { unreadable, addresses, outdated, unresolved, violations } = checkAll(description, files);
for (const text of unreadable) console.error(`unreadable: ${text}`);
for (const { text } of addresses) console.error(`network: ${text}`);
for (const path of outdated) console.error(`not as described: ${path}; run npm run render, or change the description`);
for (const text of unresolved) console.error(`unresolved: ${text}`);
for (const { policy, environment, text } of violations) console.error(`${policy}, in ${environment}: ${text}`);

const count = unreadable.length + addresses.length + outdated.length + unresolved.length + violations.length;
console.log(`${paths.length} files, ${description.policies.length} policies: ${count === 0 ? "all is well" : `${count} problems`}`);
process.exitCode = count === 0 ? 0 : 1;
