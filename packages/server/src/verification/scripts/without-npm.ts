import { join } from "node:path/posix";
import { FileRefusal, readProjectFile } from "../../platform/project-files/index.ts";
import { type Json, readManifest } from "./read-json.ts";

/** One call of Node in plain words: no shell reads anything else into it. */
const plainCall = /^node(?: [\w./:=,@-]+)+$/;
const plainWord = /^[\w./@+-]+$/;

/**
 * What npm would run, as a command. npm takes half a second to find that out, at every start and every health check. A
 * package with dependencies, hooks or settings of its own is left to npm.
 */
export async function withoutNpm(
  folder: string,
  command: string,
  signal?: AbortSignal,
  startsIn = ".",
): Promise<string> {
  const [, start, named] = /^\s*npm (?:(start)|run ([\w.-]+))\s*$/.exec(command) ?? [];
  const script = start ?? named;
  if (script === undefined) return command;
  const manifest = await manifestOf(folder, signal, startsIn);
  const { scripts, name, version, dependencies, devDependencies, optionalDependencies } = manifest ?? {};
  if (!isJson(scripts) || `pre${script}` in scripts || `post${script}` in scripts) return command;
  const own = scripts[script];
  const isPlain = (text: unknown, shape: RegExp) => typeof text === "string" && shape.test(text);
  if (!isPlain(own, plainCall) || !isPlain(name, plainWord) || !isPlain(version, plainWord)) return command;
  if ([dependencies, devDependencies, optionalDependencies].some((some) => some !== undefined)) return command;
  if (await hasFile(folder, join(startsIn, ".npmrc"), signal)) return command;
  // Programs ask for these to say who they are.
  return `npm_package_name=${name} npm_package_version=${version} ${own}`;
}

/** One that we may not read is npm's to judge. */
async function manifestOf(
  folder: string,
  signal: AbortSignal | undefined,
  startsIn: string,
): Promise<Json | undefined> {
  try {
    return await readManifest(folder, signal, startsIn);
  } catch (error) {
    if (error instanceof FileRefusal) return undefined;
    throw error;
  }
}

async function hasFile(folder: string, path: string, signal: AbortSignal | undefined): Promise<boolean> {
  try {
    await readProjectFile(folder, path, { maxBytes: 1024, signal });
    return true;
  } catch (error) {
    if (error instanceof FileRefusal) return error.code !== "missing";
    throw error;
  }
}

function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null;
}
