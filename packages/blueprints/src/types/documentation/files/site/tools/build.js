// Writes the site to the folder dist, for any server of files; links that lead nowhere are told.
import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSite } from "../src/build-site.js";
import { checkLinks } from "../src/check-links.js";
import { loadSite } from "../src/load-site.js";

const site = await loadSite();
const address = process.env.SITE_URL ?? site.settings.address;
const files = buildSite({ ...site, settings: { ...site.settings, address } });
const folder = fileURLToPath(new URL("../dist/", import.meta.url));
await rm(folder, { recursive: true, force: true });
for (const [path, text] of files) {
  const isPage = text.startsWith("<!doctype html>") && !path.endsWith(".html");
  const file = `${folder}${isPage ? `${path.replace(/\/$/, "")}/index.html` : path}`;
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}
const { broken, anchors } = checkLinks(files);
for (const { page, target } of [...broken, ...anchors]) console.error(`${page}: ${target} leads nowhere`);
console.log(`${files.size} files in dist.`);
