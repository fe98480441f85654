import type { Failure } from "../../platform/errors/index.ts";
import {
  FileRefusal,
  listProjectFolder,
  readProjectFile,
  writeProjectFile,
} from "../../platform/project-files/index.ts";
import { readBounded } from "../reading/read-bounded.ts";
import { type Json, readManifest } from "./read-json.ts";

type Overrides = Readonly<Record<string, string>>;

const lockPath = "package-lock.json";
const maxLockBytes = 64 * 1024 * 1024;

/** Writes the versions that the document asks for into package.json, where the project's package manager reads them. */
export async function writeOverrides(folder: string, overrides: Overrides, signal?: AbortSignal): Promise<void> {
  if (Object.keys(overrides).length === 0) return;
  const manifest = await readManifest(folder, signal);
  if (manifest === undefined) return;
  const changed = withOverrides(manifest, await managerOf(folder, signal), overrides);
  if (JSON.stringify(changed) === JSON.stringify(manifest)) return;
  await writeProjectFile(folder, "package.json", `${JSON.stringify(changed, undefined, 2)}\n`, { signal });
}

/** Why the result does not use the versions that the document asks for; undefined if it does. */
export async function checkOverrides(
  folder: string,
  overrides: Overrides,
  signal?: AbortSignal,
): Promise<Failure | undefined> {
  if (Object.keys(overrides).length === 0) return undefined;
  const manifest = await readManifest(folder, signal);
  if (manifest === undefined) return undefined;
  const written = overridesIn(manifest, await managerOf(folder, signal));
  const locked = await readLock(folder, Object.keys(overrides), signal);
  for (const [name, version] of Object.entries(overrides)) {
    if (written[name] !== version)
      return missed(`dependency_overrides asks for ${name} ${version}, but package.json does not say so.`);
    const other = locked.get(name)?.find((one) => !isAllowed(one, version));
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

async function readLock(folder: string, names: readonly string[], signal = new AbortController().signal) {
  const bytes = await readProjectFile(folder, lockPath, { maxBytes: maxLockBytes, signal }).catch((error: unknown) => {
    if (error instanceof FileRefusal && error.code === "missing") return Buffer.of();
    throw error;
  });
  return readBounded("lockedVersions", [bytes, names], { path: lockPath, signal });
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
