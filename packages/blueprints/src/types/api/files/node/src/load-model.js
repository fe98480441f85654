import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** What the service is about, read from the folder `model`: the service itself, and a file for each resource and route. */
export async function loadModel(folder) {
  const app = await readJson(join(folder, "service.json"));
  return { ...app, resources: await readAll(join(folder, "resources")), routes: await readAll(join(folder, "routes")) };
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
