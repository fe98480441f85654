import { createHash, scryptSync } from "node:crypto";
import { FileSet } from "../../kit/file-set.ts";
import type { ResourceModel } from "./model.ts";
import type { Service } from "./read-service.ts";

/** The files of `model/`: the service, and its resources in their order. */
export function modelFiles({ model, resources }: Service): FileSet {
  const files = new FileSet().add(
    "model/service.json",
    json({ ...model, resources: resources.map((one) => one.model.name) }),
  );
  for (const { model: resource } of resources)
    files.add(`model/resources/${resource.name}.json`, json({ ...resource, seed: withoutPasswords(resource) }));
  return files;
}

/** Only hashes of the passwords in a seed are written. */
function withoutPasswords({ name, fields, seed }: ResourceModel): ResourceModel["seed"] {
  const secret = Object.keys(fields).filter((field) => fields[field]!.type === "password");
  return seed.map((record, index) => {
    const hashes = secret
      .filter((field) => typeof record[field] === "string")
      .map((field) => [field, passwordHash(`${name} ${index}`, record[field] as string)]);
    return { ...record, ...Object.fromEntries(hashes) };
  });
}

const hashes = new Map<string, string>();
const maxHashes = 1000;

/** The salt is derived from the place, so that the same document gives the same hash. Slow on purpose: made once. */
function passwordHash(place: string, password: string): string {
  const key = createHash("sha256")
    .update(JSON.stringify([place, password]))
    .digest("hex");
  const known = hashes.get(key);
  if (known !== undefined) return known;
  if (hashes.size >= maxHashes) hashes.clear();
  const salt = createHash("sha256").update(`seed:${place}:${password}`).digest().subarray(0, 16);
  const hash = `scrypt:${salt.toString("hex")}:${scryptSync(password, salt, 32).toString("hex")}`;
  hashes.set(key, hash);
  return hash;
}

function json(value: unknown): string {
  return JSON.stringify(value, undefined, 2);
}
