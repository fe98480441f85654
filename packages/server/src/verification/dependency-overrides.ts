import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Failure } from "../platform/errors/index.ts";

type Overrides = Readonly<Record<string, string>>;
type Json = Record<string, unknown>;

/** Holds packages to the versions that the document asks for, where the project's package manager looks for that. */
export async function writeOverrides(folder: string, overrides: Overrides): Promise<void> {
  if (Object.keys(overrides).length === 0) return;
  const manifest = await readJson(join(folder, "package.json"));
  if (manifest === undefined) return;
  const changed = withOverrides(manifest, await managerOf(folder), overrides);
  const text = `${JSON.stringify(changed, undefined, 2)}\n`;
  if (JSON.stringify(changed) !== JSON.stringify(manifest)) await writeFile(join(folder, "package.json"), text);
}

/** Why the result does not hold packages to their versions; nothing if it does. */
export async function checkOverrides(folder: string, overrides: Overrides): Promise<Failure | undefined> {
  const manifest = await readJson(join(folder, "package.json"));
  if (manifest === undefined) return undefined;
  const written = overridesIn(manifest, await managerOf(folder));
  const lock = await readJson(join(folder, "package-lock.json"));
  for (const [name, version] of Object.entries(overrides)) {
    if (written[name] !== version)
      return missed(`dependency_overrides asks for ${name} ${version}, but package.json does not say so.`);
    const other = lockedVersions(lock, name).find((locked) => !isAllowed(locked, version));
    if (other !== undefined)
      return missed(`dependency_overrides asks for ${name} ${version}, but package-lock.json has ${other}.`);
  }
  return undefined;
}

type Manager = "npm" | "yarn" | "pnpm";

async function managerOf(folder: string): Promise<Manager> {
  const has = async (name: string) => (await readFile(join(folder, name)).catch(() => undefined)) !== undefined;
  if (await has("pnpm-lock.yaml")) return "pnpm";
  return (await has("yarn.lock")) ? "yarn" : "npm";
}

function withOverrides(manifest: Json, manager: Manager, overrides: Overrides): Json {
  const all = { ...overridesIn(manifest, manager), ...overrides };
  switch (manager) {
    case "npm":
      return { ...manifest, overrides: all };
    case "yarn":
      return { ...manifest, resolutions: all };
    case "pnpm":
      return { ...manifest, pnpm: { ...asObject(manifest["pnpm"]), overrides: all } };
  }
}

function overridesIn(manifest: Json, manager: Manager): Json {
  switch (manager) {
    case "npm":
      return asObject(manifest["overrides"]);
    case "yarn":
      return asObject(manifest["resolutions"]);
    case "pnpm":
      return asObject(asObject(manifest["pnpm"])["overrides"]);
  }
}

function lockedVersions(lock: Json | undefined, name: string): string[] {
  return Object.entries(asObject(lock?.["packages"]))
    .filter(([path]) => path === `node_modules/${name}` || path.endsWith(`/node_modules/${name}`))
    .map(([, about]) => String(asObject(about)["version"]));
}

/** A range is the package manager's to judge; an exact version is not. */
function isAllowed(locked: string, wanted: string): boolean {
  return !/^\d+\.\d+\.\d+([-+].*)?$/.test(wanted) || locked === wanted;
}

function missed(message: string): Failure {
  return { code: "dependency_override_missed", message };
}

async function readJson(file: string): Promise<Json | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(file, "utf8"));
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
  } catch {
    return undefined;
  }
}

function asObject(value: unknown): Json {
  return typeof value === "object" && value !== null ? (value as Json) : {};
}
