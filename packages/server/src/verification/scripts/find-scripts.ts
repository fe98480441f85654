import { scriptsFile } from "@slipway/blueprints";
import type { CompleteSpec } from "@slipway/spec";
import { FileRefusal, readProjectFile } from "../../platform/project-files/index.ts";
import { readManifest, readProjectJson } from "./read-json.ts";
import { withoutNpm } from "./without-npm.ts";

type Scripts = NonNullable<CompleteSpec["scripts"]>;

const maxBytes = 64 * 1024;

/** How a project is built, tested and started: as its document says, else as its own files say. */
export async function findScripts(
  { scripts = {} }: Pick<CompleteSpec, "scripts">,
  projectFolder: string,
  signal?: AbortSignal,
): Promise<Scripts> {
  const found = (await readProjectJson(projectFolder, scriptsFile, { maxBytes, signal })) ?? {};
  // Anybody may have written the file: entries that are not texts are left out.
  const texts = Object.entries(found).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  const known = { ...Object.fromEntries(texts), ...scripts } as Scripts;
  const isComplete = texts.length > 0 || (known.build !== undefined && known.start !== undefined);
  const all = isComplete ? known : { ...(await scriptsByCustom(projectFolder, signal)), ...known };
  return runningDirectly(projectFolder, all, signal);
}

/** Tests are left out: how they are run is read from what npm is told. */
async function runningDirectly(folder: string, scripts: Scripts, signal: AbortSignal | undefined): Promise<Scripts> {
  const direct: Scripts = { ...scripts };
  for (const name of ["build", "start", "health_check"] as const) {
    const command = scripts[name];
    if (command !== undefined) direct[name] = await withoutNpm(folder, command, signal);
  }
  return direct;
}

/** Where a way to build or to start is looked for, in this order. */
export const lookedFor = "package.json (scripts), Procfile, Makefile, app.py, main.py, go.mod, Cargo.toml";

/** What each language's own files say. The first that knows a script decides it. */
async function scriptsByCustom(folder: string, signal: AbortSignal | undefined): Promise<Scripts> {
  const found: Scripts[] = [];
  for (const find of [byPackageJson, byProcfile, byMakefile, byPython, byGo, byCargo])
    found.push(await find(folder, signal));
  return Object.assign({}, ...found.toReversed()) as Scripts;
}

type Find = (folder: string, signal: AbortSignal | undefined) => Promise<Scripts>;

const byPackageJson: Find = async (folder, signal) => {
  const manifest = await readManifest(folder, signal);
  const scripts = manifest?.["scripts"];
  if (typeof scripts !== "object" || scripts === null) return {};
  return {
    ...("build" in scripts && { build: "npm run build" }),
    ...("start" in scripts && { start: "npm start" }),
  };
};

const byProcfile: Find = async (folder, signal) => {
  const [, start] = /^web:[ \t]*(\S.*)$/m.exec((await textOf(folder, "Procfile", signal)) ?? "") ?? [];
  return start === undefined ? {} : { start: start.trim() };
};

const byMakefile: Find = async (folder, signal) => {
  const text = (await textOf(folder, "Makefile", signal)) ?? "";
  const start = ["start", "run"].find((target) => hasTarget(text, target));
  return {
    ...(hasTarget(text, "build") && { build: "make build" }),
    ...(start !== undefined && { start: `make ${start}` }),
  };
};

function hasTarget(makefile: string, target: string): boolean {
  return new RegExp(`^${target}[ \\t]*:(?!=)`, "m").test(makefile);
}

const byPython: Find = async (folder, signal) => {
  for (const file of ["app.py", "main.py"])
    if ((await textOf(folder, file, signal)) !== undefined) return { start: `python3 ${file}` };
  return {};
};

const byGo: Find = async (folder, signal) => {
  if ((await textOf(folder, "go.mod", signal)) === undefined) return {};
  const isProgram = (await textOf(folder, "main.go", signal)) !== undefined;
  return { build: "go build ./...", ...(isProgram && { start: "go run ." }) };
};

const byCargo: Find = async (folder, signal) => {
  if ((await textOf(folder, "Cargo.toml", signal)) === undefined) return {};
  const isProgram = (await textOf(folder, "src/main.rs", signal)) !== undefined;
  return { build: "cargo build", ...(isProgram && { start: "cargo run" }) };
};

/** Undefined if there is no such file; a longer one is read as far as it counts here. */
async function textOf(folder: string, path: string, signal: AbortSignal | undefined): Promise<string | undefined> {
  try {
    return (await readProjectFile(folder, path, { maxBytes: 1024 * 1024, signal })).toString("utf8");
  } catch (error) {
    if (error instanceof FileRefusal) return error.code === "too_large" ? "" : undefined;
    throw error;
  }
}
