/**
 * What the built-in agent takes: to make each example's files, and what the result's own tests take then.
 * `npm run bench:blueprints`, or some types: `npm run bench:blueprints api game`.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type BuildTask, builtInPlugin, type OutcomeType, scriptsFile } from "../packages/blueprints/src/index.ts";
import { acceptanceLines, type CompleteSpec, parseSpec, planWork, resolveSpec } from "../packages/spec/src/index.ts";
import { median, printRow, sized } from "./measure.ts";

type Files = Map<string, { readonly text: string; readonly isExecutable: boolean }>;

const rounds = sized(20, 1);
const maxMs = 20;
const maxTestSeconds = 5;

const chosen = sized(process.argv.slice(2), ["documentation"]);
console.log(
  `Blueprints (Node ${process.versions.node}; medians of ${rounds} builds; load ${loadavg()[0]!.toFixed(1)})`,
);
printRow("example", "build", "own tests");
for (const type of builtInPlugin.outcome_types) {
  if (chosen.length > 0 && !chosen.includes(type.name)) continue;
  const document = readExample(type.name);
  const times: number[] = [];
  let files: Files = new Map();
  for (let round = 0; round < rounds; round += 1) {
    // A document is designed once: each round has one of its own.
    const own = structuredClone(document);
    const startMs = performance.now();
    files = await build(type, own);
    times.push(performance.now() - startMs);
  }
  const seconds = testSeconds(document, files);
  const isQuick = median(times) <= maxMs && seconds <= maxTestSeconds;
  const goal = `≤ ${maxMs} ms, ≤ ${maxTestSeconds} s: ${isQuick ? "reached" : "MISSED"}`;
  printRow(`${type.name}, ${files.size} files`, `${median(times).toFixed(1)} ms`, `${seconds.toFixed(1)} s`, goal);
}

function readExample(name: string): CompleteSpec {
  const file = fileURLToPath(new URL(`../examples/${name}.yaml`, import.meta.url));
  return resolveSpec(parseSpec(readFileSync(file, "utf8")).document!).document;
}

async function build(type: OutcomeType, document: CompleteSpec): Promise<Files> {
  const files: Files = new Map();
  const workspace = {
    document,
    read: async (path: string) => files.get(path)?.text,
    write: async (path: string, text: string, { isExecutable = false } = {}) => {
      files.set(path, { text, isExecutable });
    },
  };
  for (const task of tasksOf(document)) await type.build(task, workspace);
  return files;
}

function tasksOf(document: CompleteSpec): BuildTask[] {
  const lines = acceptanceLines(document);
  const plan = planWork(document);
  const kinds = new Map(plan.phases.map(({ name, kind }) => [name, kind]));
  return plan.tasks
    .filter(({ phase }) => kinds.get(phase) === "work")
    .map(({ id, title, phase, serves }) => ({
      id,
      title,
      phase,
      lines: lines.filter(({ pointer }) => serves.includes(pointer)),
    }));
}

function testSeconds({ scripts = {} }: CompleteSpec, files: Files): number {
  const folder = mkdtempSync(join(tmpdir(), "slipway-bench-"));
  try {
    for (const [path, { text, isExecutable }] of files) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
      if (isExecutable) chmodSync(join(folder, path), 0o755);
    }
    const all = { ...JSON.parse(files.get(scriptsFile)!.text), ...scripts } as { build?: string; test?: string };
    if (all.build !== undefined) run(all.build, folder);
    const startMs = performance.now();
    if (all.test !== undefined) run(all.test, folder);
    return (performance.now() - startMs) / 1000;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function run(command: string, folder: string): void {
  const { status, stdout, stderr } = spawnSync("sh", ["-c", command], { cwd: folder, encoding: "utf8" });
  if (status !== 0) throw new Error(`${command} ended with ${status}: ${stdout.slice(-2000)}${stderr.slice(-2000)}`);
}
