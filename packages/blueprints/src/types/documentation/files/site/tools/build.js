// Writes the site to the folder dist, for any server of files; a link that leads nowhere fails the build.
import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSite } from "../src/build-site.js";
import { problemsOf } from "../src/check-site.js";
import { loadSite } from "../src/load-site.js";

const site = await loadSite();
const address = process.env.SITE_URL ?? site.settings.address;
const settings = { ...site.settings, address };
const files = buildSite({ ...site, settings });
const folder = fileURLToPath(new URL("../dist/", import.meta.url));
await rm(folder, { recursive: true, force: true });
for (const [path, text] of files) {
  const isPage = text.startsWith("<!doctype html>") && !path.endsWith(".html");
  const file = `${folder}${isPage ? `${path.replace(/\/$/, "")}/index.html` : path}`;
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}
const problems = problemsOf(files, settings);
for (const problem of problems) console.error(problem);
console.log(`${files.size} files in dist.`);
if (problems.length > 0) process.exitCode = 1;
