// Loads every module of the program: a mistake in one, or an import of what is not there, ends the build.
import { readdir, readFile } from "node:fs/promises";

const folder = new URL("../src/", import.meta.url);
const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith(".js"));
let count = 0;
for (const file of files) {
  const module = new URL(file.split("/").map(encodeURIComponent).join("/"), folder);
  // What starts the program would run it here.
  if ((await readFile(module, "utf8")).startsWith("#!")) continue;
  await import(module.href);
  count += 1;
}
console.log(`${count} modules are sound.`);
