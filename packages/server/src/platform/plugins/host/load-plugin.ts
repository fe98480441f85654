import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** Imports a plugin: its named exports, or its default export. */
export async function loadPlugin(folder: string): Promise<unknown> {
  const manifest = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as Manifest;
  const module = (await import(pathToFileURL(join(folder, entryOf(manifest))).href)) as Record<string, unknown>;
  return "api_version" in module ? module : module["default"];
}

interface Manifest {
  readonly exports?: unknown;
  readonly main?: string;
}

/** The entry file, chosen by the conditions under which Node would import it. */
function entryOf({ exports, main }: Manifest): string {
  const root = isMap(exports) && "." in exports ? exports["."] : exports;
  return resolveTarget(root) ?? main ?? "index.js";
}

function resolveTarget(target: unknown): string | undefined {
  if (typeof target === "string") return target;
  if (!isMap(target)) return undefined;
  const conditions = Object.keys(target).filter((key) => ["node", "import", "default"].includes(key));
  return conditions.map((key) => resolveTarget(target[key])).find((path) => path !== undefined);
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
