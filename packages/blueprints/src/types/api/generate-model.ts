import type { AcceptanceLine } from "@slipway/spec";
import { FileSet } from "../../kit/file-set.ts";
import { readRequests } from "./read-requests.ts";
import type { FoundResource } from "./read-resources.ts";
import type { Service } from "./read-service.ts";

/** The files of `model/`: the service, and the declared resources. */
export function modelFiles({ model, resources }: Service): FileSet {
  const files = new FileSet().add("model/service.json", json(model));
  for (const { model: resource, isDeclared } of resources) if (isDeclared) addResource(files, resource);
  return files;
}

/** The files of `model/` that only these lines need. */
export function sliceFiles({ resources, routes }: Service, lines: readonly AcceptanceLine[]): FileSet {
  const files = new FileSet();
  for (const { method, shape } of readRequests(lines)) {
    // A record needs its parents: every collection on its path counts.
    for (const { shape: collection, model, isDeclared } of resources)
      if (!isDeclared && (shape.key === collection.key || shape.key.startsWith(`${collection.key}/`)))
        addResource(files, model);
    for (const { name, key, route } of routes)
      if (key === `${method} ${shape.key}`) files.add(`model/routes/${name}.json`, json(route));
  }
  return files;
}

function addResource(files: FileSet, resource: FoundResource["model"]): void {
  files.add(`model/resources/${resource.name}.json`, json(resource));
}

function json(value: unknown): string {
  return JSON.stringify(value, undefined, 2);
}
