import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** What the service is about, read from the folder `model`: the service itself, and a file for each resource, route and page. */
export async function loadModel(folder) {
  const [service, site] = await Promise.all(["service.json", "site.json"].map((name) => readJson(join(folder, name))));
  const [resources, routes, pages] = await Promise.all(
    ["resources", "routes", "pages"].map((name) => readAll(join(folder, name))),
  );
  return { ...service, site, resources, routes, pages };
}

async function readAll(folder) {
  const names = await readdir(folder).catch((error) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  return Promise.all(
    names
      .filter((name) => name.endsWith(".json"))
      .sort()
      .map((name) => readJson(join(folder, name))),
  );
}

async function readJson(path) {
  return JSON.parse(await readFile(path, "utf8"));
}
