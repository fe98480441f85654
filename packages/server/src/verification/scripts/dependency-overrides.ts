import type { Failure } from "../../platform/errors/index.ts";
import { listProjectFolder, writeProjectFile } from "../../platform/project-files/index.ts";
import { type Json, readProjectJson } from "./read-json.ts";

type Overrides = Readonly<Record<string, string>>;

const manifestFile = { path: "package.json", maxBytes: 4 * 1024 * 1024 };
const lockFile = { path: "package-lock.json", maxBytes: 64 * 1024 * 1024 };

/** Writes the versions that the document asks for into package.json, where the project's package manager reads them. */
export async function writeOverrides(folder: string, overrides: Overrides, signal?: AbortSignal): Promise<void> {
  if (Object.keys(overrides).length === 0) return;
  const manifest = await readProjectJson(folder, manifestFile.path, { ...manifestFile, signal });
  if (manifest === undefined) return;
  const changed = withOverrides(manifest, await managerOf(folder, signal), overrides);
  if (JSON.stringify(changed) === JSON.stringify(manifest)) return;
  await writeProjectFile(folder, manifestFile.path, `${JSON.stringify(changed, undefined, 2)}\n`, { signal });
}

/** Why the result does not use the versions that the document asks for; undefined if it does. */
export async function checkOverrides(
  folder: string,
  overrides: Overrides,
  signal?: AbortSignal,
): Promise<Failure | undefined> {
  if (Object.keys(overrides).length === 0) return undefined;
  const manifest = await readProjectJson(folder, manifestFile.path, { ...manifestFile, signal });
  if (manifest === undefined) return undefined;
  const written = overridesIn(manifest, await managerOf(folder, signal));
  const lock = await readProjectJson(folder, lockFile.path, { ...lockFile, signal });
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

async function managerOf(folder: string, signal: AbortSignal | undefined): Promise<Manager> {
  const entries = await listProjectFolder(folder, ".", { signal, skipsOddNames: true });
  const has = (path: string) => entries.some(({ name, kind }) => name === path && kind === "file");
  if (has("pnpm-lock.yaml")) return "pnpm";
  return has("yarn.lock") ? "yarn" : "npm";
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

function asObject(value: unknown): Json {
  return typeof value === "object" && value !== null ? (value as Json) : {};
}
