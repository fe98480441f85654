import { createHash, scryptSync } from "node:crypto";
import { FileSet } from "../../kit/file-set.ts";
import { type ExampleValues, exampleValues } from "./example-values.ts";
import type { ResourceModel } from "./model.ts";
import type { Service } from "./read-service.ts";

/** The files of `model/`: the service, and its resources in their order. */
export function modelFiles({ model, resources }: Service): FileSet {
  const files = new FileSet().add(
    "model/service.json",
    json({ ...model, resources: resources.map((one) => one.model.name) }),
  );
  for (const { model: resource } of resources)
    files.add(
      `model/resources/${resource.name}.json`,
      json({ ...resource, seed: withoutPasswords(resource), ...examplesOf(resource) }),
    );
  return files;
}

/** For the tests, in whatever language they are. */
function examplesOf(resource: ResourceModel): { readonly examples?: ExampleValues } {
  const examples = exampleValues(resource);
  return Object.keys(examples).length === 0 ? {} : { examples };
}

/** Of the passwords in a seed only hashes are written, beside the values: a file with a key for one looks like a leak. */
function withoutPasswords({ name, fields, seed }: ResourceModel): readonly Readonly<Record<string, unknown>>[] {
  return seed.map((record, index) => {
    const isSecret = ([field, value]: [string, unknown]) =>
      fields[field]?.type === "password" && typeof value === "string";
    const secrets = Object.entries(record).filter(isSecret);
    if (secrets.length === 0) return record;
    const values = Object.entries(record).filter((entry) => !isSecret(entry));
    const sealed = secrets.map(([field, value]) => [field, passwordHash(`${name} ${index}`, value as string)]);
    return { ...Object.fromEntries(values), sealed };
  });
}

const hashes = new Map<string, string>();
const maxHashes = 1000;
const seedCost = 16_384;

/** The salt is derived from the place, so that the same document gives the same hash. Slow on purpose: made once. */
function passwordHash(place: string, password: string): string {
  const seed = createHash("sha256")
    .update(JSON.stringify([place, password]))
    .digest("hex");
  const known = hashes.get(seed);
  if (known !== undefined) return known;
  if (hashes.size >= maxHashes) hashes.clear();
  const salt = createHash("sha256").update(`seed:${place}:${password}`).digest().subarray(0, 16);
  const key = scryptSync(password, salt, 32, { cost: seedCost }).toString("hex");
  const hash = ["scrypt", seedCost, salt.toString("hex"), key].join(":");
  hashes.set(seed, hash);
  return hash;
}

function json(value: unknown): string {
  return JSON.stringify(value, undefined, 2);
}
