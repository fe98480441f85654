/**
 * What a verification takes beyond the tools that it runs: a project's build, its tests with coverage and the scan, once by
 * hand and once by the service, in turns. `npm run bench:verification`.
 */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createSandbox } from "../packages/server/src/platform/sandbox/index.ts";
import { checkResult } from "../packages/server/src/verification/index.ts";
import { scanProject } from "../packages/server/src/verification/scans/index.ts";
import { resolveSpec, type SpecDocument } from "../packages/spec/src/index.ts";
import { median, printRow, sized } from "./measure.ts";

const maxOverhead = 0.1;
const modules = sized(30, 2);
const rounds = sized(3, 1);
/** What one test computes, as tests do that are worth running. */
const turns = sized(5_000_000, 1_000);

const folder = mkdtempSync(join(tmpdir(), "slipway-bench-"));
const original = join(folder, "original");
const { document } = resolveSpec({
  ...{ spec_version: "1.0.0", id: "bench", name: "Bench", description: "d", outcome_type: "library", stack: {} },
  acceptance: { tests: [{ file: "test/**/*.test.js", type: "unit" }] },
  guardrails: { tests_required: true, min_test_coverage: 0.01, security_scan: "warn" },
  scripts: { build: "node build.js", test: "node --test" },
  // By hand a program has all of them.
  resources: { cpu_cores: availableParallelism() },
} as unknown as SpecDocument);
const scan = (of: string) =>
  scanProject({ folder: of, document, advisories: "none", signal: new AbortController().signal, now: new Date() });

console.log(`Verification (Node ${process.versions.node}; load ${loadavg()[0]!.toFixed(1)})`);
try {
  writeProject();
  const sandbox = await createSandbox({ mode: "auto", dataFolder: join(folder, "data") });
  const times = { byHand: [] as number[], verified: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    times.byHand.push(await timed(copyOf(round * 2), runByHand));
    times.verified.push(await timed(copyOf(round * 2 + 1), (of) => verify(sandbox, of)));
  }
  const [byHand, verified] = [median(times.byHand), median(times.verified)];
  const overhead = verified / byHand - 1;
  printRow(`build, ${modules} test files, scan: by hand`, `${(byHand / 1000).toFixed(2)} s`);
  const goal = `≤ ${maxOverhead * 100} % more: ${overhead <= maxOverhead ? "reached" : "MISSED"}`;
  printRow("the same by a verification", `${(verified / 1000).toFixed(2)} s`, `${(overhead * 100).toFixed(0)} %`, goal);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function writeProject(): void {
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(original, path)), { recursive: true });
    writeFileSync(join(original, path), text);
  };
  write("package.json", JSON.stringify({ type: "module", scripts: { test: "node --test" } }));
  write("build.js", `let sum = 0;\nfor (let at = 0; at < ${turns}; at += 1) sum += at;\nconsole.log(sum);\n`);
  for (let at = 0; at < modules; at += 1) {
    const helpers = Array.from(
      { length: 40 },
      (_, of) => `export const f${of} = (a, b) => (a > b ? a - b : a + b + ${of});`,
    );
    write(
      `src/m${at}.js`,
      `${helpers.join("\n")}\nexport function sum(to) {\n  let all = 0;\n  for (let at = 0; at < to; at += 1) all += f0(at, 1);\n  return all;\n}\n`,
    );
    write(
      `test/m${at}.test.js`,
      `import assert from "node:assert";\nimport { test } from "node:test";\nimport { sum } from "../src/m${at}.js";\ntest("sums", () => assert.ok(sum(${turns}) > 0));\n`,
    );
  }
}

function copyOf(number: number): string {
  const to = join(folder, String(number));
  cpSync(original, to, { recursive: true });
  return to;
}

async function timed(of: string, work: (of: string) => Promise<unknown>): Promise<number> {
  const beganAtMs = performance.now();
  await work(of);
  return performance.now() - beganAtMs;
}

async function runByHand(cwd: string): Promise<void> {
  await scan(cwd);
  const run = (...words: readonly string[]) => {
    const { status, stderr } = spawnSync(process.execPath, words, { cwd, stdio: ["ignore", "ignore", "pipe"] });
    if (status !== 0) throw new Error(`By hand, '${words.join(" ")}' failed: ${stderr}`);
  };
  run("build.js");
  const reports = ["junit", "lcov"].flatMap((name) => [
    `--test-reporter=${name}`,
    `--test-reporter-destination=${join(cwd, `${name}.txt`)}`,
  ]);
  run("--test", "--experimental-test-coverage", ...reports);
}

async function verify(sandbox: Awaited<ReturnType<typeof createSandbox>>, of: string): Promise<void> {
  const { verdicts, error } = await checkResult(
    { sandbox, plugins: { check: async () => [] }, scans: { scan: ({ folder: at }) => scan(at) } },
    {
      ...{ document, folder: of, minuteMs: 60_000, cache: undefined, secrets: {} },
      signal: new AbortController().signal,
      openLog: () => ({ write: () => undefined, end: () => undefined }),
    },
  );
  const bad = verdicts.find(({ verdict }) => verdict !== "passed");
  if (error !== undefined || bad !== undefined) throw new Error(`Not verified: ${error?.message ?? bad?.reason}`);
}
