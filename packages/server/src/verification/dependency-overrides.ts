import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Failure } from "../platform/errors/index.ts";

type Overrides = Readonly<Record<string, string>>;
type Json = Record<string, unknown>;

/** Writes the versions that the document asks for into package.json, where the project's package manager reads them. */
export async function writeOverrides(projectFolder: string, overrides: Overrides): Promise<void> {
  if (Object.keys(overrides).length === 0) return;
  const manifest = await readProjectJson(projectFolder, "package.json");
  if (manifest === undefined) return;
  const changed = withOverrides(manifest, await managerOf(projectFolder), overrides);
  const text = `${JSON.stringify(changed, undefined, 2)}\n`;
  if (JSON.stringify(changed) !== JSON.stringify(manifest)) await writeProjectFile(projectFolder, "package.json", text);
}

/** Why the result does not use the versions that the document asks for; undefined if it does. */
export async function checkOverrides(projectFolder: string, overrides: Overrides): Promise<Failure | undefined> {
  const manifest = await readProjectJson(projectFolder, "package.json");
  if (manifest === undefined) return undefined;
  const written = overridesIn(manifest, await managerOf(projectFolder));
  const lock = await readProjectJson(projectFolder, "package-lock.json");
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

async function managerOf(projectFolder: string): Promise<Manager> {
  const has = async (path: string) => (await readProjectFile(projectFolder, path).catch(() => undefined)) !== undefined;
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

/** Compares exact versions only: a range is for the package manager to judge. */
function isAllowed(locked: string, wanted: string): boolean {
  return !/^\d+\.\d+\.\d+([-+].*)?$/.test(wanted) || locked === wanted;
}

function missed(message: string): Failure {
  return { code: "dependency_override_missed", message };
}

async function readProjectJson(projectFolder: string, path: string): Promise<Json | undefined> {
  try {
    const value: unknown = JSON.parse(await readProjectFile(projectFolder, path));
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
  } catch {
    return undefined;
  }
}

function asObject(value: unknown): Json {
  return typeof value === "object" && value !== null ? (value as Json) : {};
}

function readProjectFile(projectFolder: string, path: string): Promise<string> {
  return readFile(join(projectFolder, path), "utf8");
}

function writeProjectFile(projectFolder: string, path: string, text: string): Promise<void> {
  return writeFile(join(projectFolder, path), text);
}
