import { removeProjectFile, writeProjectFile } from "../../platform/project-files/index.ts";
import { isInstalled } from "../tests/find-runner.ts";
import { quoteWord } from "../tests/parse-script.ts";
import { readText } from "../tests/test-files.ts";
import type { TypesVerdict } from "./check-types.ts";
import { findMachineCompiler } from "./find-checkers.ts";
import { judgeByChecker, token, type Workplace, whySwitchedOff } from "./run-checker.ts";

/** The program of the installed package: never a link in `.bin`. */
const ownProgram = "node_modules/typescript/bin/tsc";
const maxConfigurations = 20;
/** Not over empty lines at its start: from each of many, it would read all that follow. */
export const switchOff: RegExp = /^[^\S\r\n\u2028\u2029]*(?:\/\/+|\/\*+)\s*@ts-nocheck\b/m;

/** Tests need the types of their runner, which a project without packages does not have. */
const ofTests = /(^|\/)(?:tests?|specs?|__tests__|e2e)\/|\.(?:test|spec)\.[cm]?tsx?$/;

/** Checks the types of TypeScript by the project's own configuration and compiler, or else by this machine's. */
export async function checkTypescript(
  place: Workplace,
  sources: readonly string[],
  machinePath?: string,
): Promise<TypesVerdict> {
  const { folder, signal } = place.toCheck;
  const config = await readText(folder, "tsconfig.json", signal);
  if (config === undefined)
    return notChecked("The project has TypeScript, but no tsconfig.json that says how it is to be checked.");
  const isOwn = await isInstalled(place.toCheck, ownProgram);
  const found = isOwn ? { program: ownProgram } : await findMachineCompiler(machinePath);
  if ("missing" in found)
    return notChecked(`The project has no ${ownProgram}, and ${found.missing}. Let scripts.build install it (npm ci).`);
  const switchedOff = await whySwitchedOff(place, sources, switchOff);
  if (switchedOff !== undefined) return { verdict: "failed", reason: switchedOff };
  const ofProgram = sources.filter((path) => !/(^|\/)[\w.-]+\.config\.[cm]?ts$/.test(path));
  const beside = ofProgram.find((path) => !ofTests.test(path)) ?? ofProgram[0] ?? "";
  const name = token();
  const path = `${beside.slice(0, beside.lastIndexOf("/") + 1)}${name}.ts`;
  const trap = { path, text: `export const ${name}: number = "as it must not be";\n` };
  return judgeByChecker(place, "tsc", trap, async () => {
    const errors: { path: string; line: string }[] = [];
    const check = (configuration: string) => checkBy(place, found.program, configuration, errors);
    // A configuration of several projects checks nothing by itself.
    const configurations = ["tsconfig.json", ...referencesOf(config)];
    let end = await check(configurations[0]!);
    let { isCut } = end;
    const also = async (configuration: string) => {
      const other = await check(configuration);
      isCut ||= other.isCut;
      end = worse(end, other);
    };
    for (const other of configurations.slice(1)) await also(other);
    // The trap may lie in a folder that the project leaves out.
    const needed = [...ofProgram.filter((source) => !ofTests.test(source)), trap.path];
    const left = await leftOut(place, found.program, configurations, needed);
    if (left.length > 0) await checkLeftOut(place, left, also);
    return { errors, end, isCut };
  });
}

/** In the sandbox, because the list of all files of a program may be long: prints those of ours that are in none. */
const lister = `
const { execFileSync } = require("node:child_process");
const { readFileSync, realpathSync } = require("node:fs");
const { join } = require("node:path");
const [list, program, ...configurations] = process.argv.slice(1);
const found = new Set();
for (const one of configurations) {
  let text = "";
  const options = ["--listFilesOnly", "--incremental", "false", "--composite", "false", "-p", one];
  const limits = { encoding: "utf8", maxBuffer: 256 * 1024 * 1024, stdio: ["ignore", "pipe", "ignore"] };
  try { text = execFileSync(process.execPath, [program, ...options], limits); } catch (error) { text = String(error.stdout ?? ""); }
  for (const line of text.split("\\n")) found.add(line.trim());
}
const here = [process.cwd(), realpathSync(process.cwd())];
const left = readFileSync(list, "utf8").split("\\n").filter((path) => !here.some((folder) => found.has(join(folder, path))));
for (const path of left) console.log("left out: " + path);
console.log("left out in all: " + left.length);
`.trim();

/** Sources of the project that no configuration includes: `exclude` is no way to let a file pass. */
async function leftOut(
  place: Workplace,
  program: string,
  configurations: readonly string[],
  sources: readonly string[],
): Promise<readonly string[]> {
  const { folder, signal } = place.toCheck;
  const list = `${token()}.txt`;
  await writeProjectFile(folder, list, sources.join("\n"), { signal });
  try {
    const words = ["node", "-e", lister, list, program, ...configurations].map(quoteWord);
    const { output } = await place.run(words.join(" "), `tsc --listFilesOnly -p ${configurations.join(", ")}`);
    const known = new Set(sources);
    const left = [...output.matchAll(/^left out: (.+)$/gm)].map(([, path]) => path!).filter((path) => known.has(path));
    // Only the end of a long output is kept: then all are checked once more, instead of those that it names.
    const count = /^left out in all: (\d+)$/m.exec(output)?.[1];
    return Number(count) === left.length ? left : sources;
  } finally {
    await removeProjectFile(folder, list).catch(() => undefined);
  }
}

/** Checks files that the project's configuration leaves out, by its own options. */
async function checkLeftOut(
  { toCheck: { folder, signal } }: Workplace,
  files: readonly string[],
  check: (configuration: string) => Promise<void>,
): Promise<void> {
  const path = `${token()}.json`;
  const compilerOptions = { rootDir: "." };
  const text = JSON.stringify({ extends: "./tsconfig.json", compilerOptions, files, include: [], references: [] });
  await writeProjectFile(folder, path, text, { signal });
  try {
    await check(path);
  } finally {
    await removeProjectFile(folder, path).catch(() => undefined);
  }
}

type End = Awaited<ReturnType<Workplace["run"]>>;

function worse(a: End, b: End): End {
  return a.outcome.is !== "exited" || (a.exitCode !== 0 && b.exitCode === 0) ? a : b;
}

/** What makes the compiler keep results, or print more than its errors, by which they would be pushed out of sight. */
const noTalk = [
  ...["incremental", "composite", "pretty", "noErrorTruncation", "listFiles"],
  ...["traceResolution", "diagnostics", "extendedDiagnostics"],
];

async function checkBy(
  place: Workplace,
  program: string,
  config: string,
  errors: { path: string; line: string }[],
): Promise<End> {
  const options = ["--noEmit", ...noTalk.flatMap((option) => [`--${option}`, "false"])];
  const end = await place.run(["node", quoteWord(program), ...options, "-p", quoteWord(config)].join(" "));
  for (const line of end.output.split("\n")) {
    // Folders may have brackets and blanks in their names.
    const path = /^(.+?)\(\d+,\d+\): error TS\d+: /.exec(line)?.[1];
    const isAboutConfig = path === undefined && /^error TS\d+: /.test(line) && !/TS18002|TS18003/.test(line);
    if (path !== undefined || isAboutConfig) errors.push({ path: path ?? config, line });
  }
  return end;
}

/** What `references` names: folders, or files of configuration. The file has comments, so it is no JSON. */
function referencesOf(config: string): readonly string[] {
  const list = /"references"\s*:\s*\[([^\]]{0,4000})\]/.exec(config)?.[1] ?? "";
  const paths = [...list.matchAll(/"path"\s*:\s*"([\w./@-]{1,200})"/g)].map(([, path]) => path!);
  return paths.filter((path) => !path.startsWith("/") && !path.split("/").includes("..")).slice(0, maxConfigurations);
}

function notChecked(reason: string): TypesVerdict {
  return { verdict: "not_checked", reason };
}
