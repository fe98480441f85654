import { join } from "node:path/posix";
import { scriptsFile } from "@slipway/blueprints";
import type { CompleteSpec } from "@slipway/spec";
import { FileRefusal, readProjectFile } from "../../platform/project-files/index.ts";
import { readManifest, readProjectJson } from "./read-json.ts";
import { withoutNpm } from "./without-npm.ts";

type Scripts = NonNullable<CompleteSpec["scripts"]>;

const maxBytes = 64 * 1024;

/** How a project, or a part of it, is built, tested and started: as its document says, else as its own files say. */
export async function findScripts(
  { scripts = {} }: Pick<CompleteSpec, "scripts">,
  folder: string,
  signal?: AbortSignal,
  startsIn = ".",
): Promise<Scripts> {
  const place = { folder, startsIn, signal };
  const found = (await readProjectJson(folder, join(startsIn, scriptsFile), { maxBytes, signal })) ?? {};
  // Anybody may have written the file: entries that are not texts are left out.
  const texts = Object.entries(found).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  const known = { ...Object.fromEntries(texts), ...scripts } as Scripts;
  const isComplete = texts.length > 0 || (known.build !== undefined && known.start !== undefined);
  const all = isComplete ? known : { ...(await scriptsByCustom(place)), ...known };
  return runningDirectly(place, all);
}

interface Place {
  readonly folder: string;
  /** The part, from the folder on: what is on the way there may be exchanged for a link at any moment. */
  readonly startsIn: string;
  readonly signal: AbortSignal | undefined;
}

/** Tests are left out: how they are run is read from what npm is told. */
async function runningDirectly({ folder, startsIn, signal }: Place, scripts: Scripts): Promise<Scripts> {
  const direct: Scripts = { ...scripts };
  for (const name of ["build", "start", "health_check"] as const) {
    const command = scripts[name];
    if (command !== undefined) direct[name] = await withoutNpm(folder, command, signal, startsIn);
  }
  return direct;
}

/** Where a way to build or to start is looked for, in this order. */
export const lookedFor = "package.json (scripts), Procfile, Makefile, app.py, main.py, go.mod, Cargo.toml";

/** What each language's own files say. The first that knows a script decides it. */
async function scriptsByCustom(place: Place): Promise<Scripts> {
  const found: Scripts[] = [];
  for (const find of [byPackageJson, byProcfile, byMakefile, byPython, byGo, byCargo]) found.push(await find(place));
  return Object.assign({}, ...found.toReversed()) as Scripts;
}

type Find = (place: Place) => Promise<Scripts>;

const byPackageJson: Find = async (place) => {
  const manifest = await readManifest(place.folder, place.signal, place.startsIn);
  const scripts = manifest?.["scripts"];
  if (typeof scripts !== "object" || scripts === null) return {};
  return {
    ...("build" in scripts && { build: "npm run build" }),
    ...("start" in scripts && { start: "npm start" }),
  };
};

const byProcfile: Find = async (place) => {
  const [, start] = /^web:[ \t]*(\S.*)$/m.exec((await textOf(place, "Procfile")) ?? "") ?? [];
  return start === undefined ? {} : { start: start.trim() };
};

const byMakefile: Find = async (place) => {
  const text = (await textOf(place, "Makefile")) ?? "";
  const start = ["start", "run"].find((target) => hasTarget(text, target));
  return {
    ...(hasTarget(text, "build") && { build: "make build" }),
    ...(start !== undefined && { start: `make ${start}` }),
  };
};

function hasTarget(makefile: string, target: string): boolean {
  return new RegExp(`^${target}[ \\t]*:(?!=)`, "m").test(makefile);
}

const byPython: Find = async (place) => {
  for (const file of ["app.py", "main.py"])
    if ((await textOf(place, file)) !== undefined) return { start: `python3 ${file}` };
  return {};
};

const byGo: Find = async (place) => {
  if ((await textOf(place, "go.mod")) === undefined) return {};
  const isProgram = (await textOf(place, "main.go")) !== undefined;
  return { build: "go build ./...", ...(isProgram && { start: "go run ." }) };
};

const byCargo: Find = async (place) => {
  if ((await textOf(place, "Cargo.toml")) === undefined) return {};
  const isProgram = (await textOf(place, "src/main.rs")) !== undefined;
  return { build: "cargo build", ...(isProgram && { start: "cargo run" }) };
};

/** Undefined if there is no such file; a longer one is read as far as it counts here. */
async function textOf({ folder, startsIn, signal }: Place, path: string): Promise<string | undefined> {
  try {
    return (await readProjectFile(folder, join(startsIn, path), { maxBytes: 1024 * 1024, signal })).toString("utf8");
  } catch (error) {
    if (error instanceof FileRefusal) return error.code === "too_large" ? "" : undefined;
    throw error;
  }
}
