import { mkdir, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { description } from "../description.js";
import { renderAll } from "../render/all.js";

const root = new URL("../", import.meta.url);

for (const [path, text] of Object.entries(renderAll(description))) {
  const place = new URL(path, root);
  await mkdir(fileURLToPath(new URL(".", place)), { recursive: true });
  await writeFile(place, text);
  console.log(path);
}
