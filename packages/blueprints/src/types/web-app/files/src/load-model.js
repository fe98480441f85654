import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { loadModel as loadService } from "./load-service.js";

/** What the app is about, read from the folder `model`: the service, the site, and a file for each page. */
export async function loadModel(folder) {
  const [service, site, pages] = await Promise.all([
    loadService(folder),
    readJson(join(folder, "site.json")),
    readPages(join(folder, "pages")),
  ]);
  return { ...service, site, pages };
}

async function readPages(folder) {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".json"));
  return Promise.all(names.sort().map((name) => readJson(join(folder, name))));
}

async function readJson(path) {
  return JSON.parse(await readFile(path, "utf8"));
}
