import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** What the service is about, read from the folder `model`: the service itself, and a file for each resource. */
export async function loadModel(folder) {
  const service = await readJson(join(folder, "service.json"));
  const resources = service.resources.map((name) => readJson(join(folder, "resources", `${name}.json`)));
  return { ...service, resources: await Promise.all(resources) };
}

async function readJson(path) {
  return JSON.parse(await readFile(path, "utf8"));
}
