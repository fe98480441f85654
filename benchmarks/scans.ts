/**
 * What a scan of a project takes and finds: the time for 10,000 lines, the share of seeded weaknesses that it finds, and the
 * false alarms in code that has none. `npm run bench:scans`, or with what was missed: `npm run bench:scans all`.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { builtInPlugin } from "../packages/blueprints/src/index.ts";
import { scanProject } from "../packages/server/src/verification/scans/index.ts";
import { acceptanceLines, parseSpec, planWork, resolveSpec } from "../packages/spec/src/index.ts";
import { isSmoke, printRow, sized } from "./measure.ts";
import { seeds } from "./scans/seeds.ts";

const maxSeconds = 5;
const measuredLines = sized(10_000, 100);
const showsAll = process.argv.includes("all");

console.log(`Scans (Node ${process.versions.node}; load ${loadavg()[0]!.toFixed(1)})`);
const folder = mkdtempSync(join(tmpdir(), "slipway-bench-"));
try {
  const clean = await cleanFiles();
  await measureTime(clean);
  await measureRecall();
  await measureFalseAlarms(clean);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

type Files = ReadonlyMap<string, string>;

async function measureTime(clean: Files): Promise<void> {
  const files = new Map<string, string>();
  let lines = 0;
  for (const [path, text] of clean) {
    if (lines >= measuredLines) break;
    files.set(path, text);
    lines += text.split("\n").length;
  }
  const result = await scan("time", files);
  const seconds = result.durationMs / 1000;
  const goal = `≤ ${maxSeconds} s: ${seconds <= maxSeconds ? "reached" : "MISSED"}`;
  printRow(`scan of ${result.lines} lines in ${result.files} files`, `${seconds.toFixed(1)} s`, "", goal);
}

async function measureRecall(): Promise<void> {
  const chosen = sized(seeds, seeds.slice(0, 3));
  const { findings } = await scan("seeds", new Map(chosen.map(({ path, text }) => [path, text])));
  const isFound = ({ path, rules }: (typeof seeds)[number]) =>
    findings.some((one) => one.path === path && rules.some((word) => one.ruleId.includes(word)));
  const missed = chosen.filter((one) => !isFound(one));
  const recall = 1 - missed.length / chosen.length;
  printRow(
    `weaknesses found of ${chosen.length} seeded`,
    recall.toFixed(2),
    "",
    `≥ 0.9: ${recall >= 0.9 ? "reached" : "MISSED"}`,
  );
  if (showsAll) for (const { path } of missed) console.log(`  missed: ${path}`);
}

async function measureFalseAlarms(clean: Files): Promise<void> {
  const { findings, lines } = await scan("clean", clean);
  const rate = (1000 * findings.length) / lines;
  printRow(`false alarms in 1,000 of ${lines} lines`, rate.toFixed(2), "", `≤ 2: ${rate <= 2 ? "reached" : "MISSED"}`);
  if (showsAll) for (const { path, line, ruleId } of findings) console.log(`  alarm: ${path}:${line} ${ruleId}`);
}

/** What the built-in agent makes of the examples: code that people and tests have read. */
async function cleanFiles(): Promise<Files> {
  const files = new Map<string, string>();
  for (const type of isSmoke ? builtInPlugin.outcome_types.slice(0, 1) : builtInPlugin.outcome_types) {
    const example = fileURLToPath(new URL(`../examples/${type.name}.yaml`, import.meta.url));
    const { document } = resolveSpec(parseSpec(readFileSync(example, "utf8")).document!);
    const own = new Map<string, string>();
    const write = async (path: string, text: string) => void own.set(path, text);
    const lines = acceptanceLines(document);
    const { phases, tasks } = planWork(document);
    const isWork = new Set(phases.filter(({ kind }) => kind === "work").map(({ name }) => name));
    for (const { id, title, phase, serves } of tasks.filter((one) => isWork.has(one.phase))) {
      const task = { id, title, phase, lines: lines.filter(({ pointer }) => serves.includes(pointer)) };
      await type.build(task, { document, read: async (path) => own.get(path), write });
    }
    for (const [path, text] of [...own].slice(0, sized(own.size, 5))) files.set(`${type.name}/${path}`, text);
  }
  return files;
}

async function scan(name: string, files: Files) {
  for (const [path, text] of files) {
    const file = join(folder, name, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  const example = fileURLToPath(new URL("../examples/api.yaml", import.meta.url));
  const { document } = resolveSpec(parseSpec(readFileSync(example, "utf8")).document!);
  const { signal } = new AbortController();
  return scanProject({ folder: join(folder, name), document, advisories: "none", signal, now: new Date() });
}
