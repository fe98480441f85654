/**
 * Downloads beside other people's programs: a tree of 200 MB as a zip beside `zip -6`, a file of 100 MB beside nginx, on loopback:
 * `npm run bench:artifacts`, or one part of it: `npm run bench:artifacts zip|file`. It needs Linux, git, curl, zip and nginx. Both
 * take turns; each number is the median of the rounds, each ratio that of the rounds' ratios. Memory is the most that the service
 * held (VmHWM) less what it held before the first download.
 */
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { startNginx } from "./artifacts/nginx.ts";
import { peakMemory, residentMb } from "./artifacts/peak-memory.ts";
import { fetchAll, fillTree, keepSource, openStage, type Stage, upload } from "./artifacts/stage.ts";
import { newFolder, stopAll } from "./http/processes.ts";
import { median, printRow, sized, whyMissing } from "./measure.ts";

const rounds = sized(7, 1);
const treeBytes = sized(200_000_000, 1_000_000);
const fileBytes = sized(100_000_000, 1_000_000);
const run = promisify(execFile);

console.log(`Artifacts (Node ${process.versions.node}; medians of ${rounds} rounds)`);
printRow("", "", "ratio", "goal");
const parts = {
  zip: { what: "a tree as a zip", needs: ["curl", "zip"], compare: compareZip },
  file: { what: "a file beside nginx", needs: ["curl", "nginx"], compare: compareFile },
};
try {
  let stage: Stage | undefined;
  for (const [name, { what, needs, compare }] of Object.entries(parts)) {
    if (name !== (process.argv[2] ?? name)) continue;
    const missing = needs.map(whyMissing).find((reason) => reason !== undefined);
    if (missing !== undefined) {
      printRow(what, "", "", missing);
      continue;
    }
    stage ??= await openStage();
    await compare(stage);
  }
} finally {
  await stopAll();
}

async function compareZip(stage: Stage): Promise<void> {
  const { service, token, artifacts } = stage;
  const tree = join(newFolder(), "tree");
  fillTree(tree, treeBytes);
  await keepSource(stage, tree);
  const ours = () => fetchAll(`${artifacts}/source_code`, token);
  const theirs = () => run("sh", ["-c", "zip -6 -q -r - . > /dev/null"], { cwd: tree });
  // Counts the files, which whoever asks first waits for.
  await fetchAll(artifacts, token);
  const before = residentMb(service.pid);
  const first = await peakMemory(service.pid, "git", ours);
  let times = { ours: [] as number[], theirs: [] as number[] };
  const all = await peakMemory(service.pid, "git", async () => {
    times = await inTurns({ theirs, ours });
  });
  printRow("zip -6 of 200 MB", seconds(times.theirs), "1.00×");
  printRow("source code of 200 MB as a zip", seconds(times.ours), ratio(times.theirs, times.ours), "≥ 1.0×");
  printRow("memory that the first download takes", `${(first.own - before).toFixed(0)} MB`, "", "≤ 64 MB");
  printRow(`the most in ${rounds + 2} downloads`, `${(all.own - before).toFixed(0)} MB`, "", "≤ 64 MB");
  printRow("git beside it", `${Math.max(first.started, all.started).toFixed(0)} MB`);
}

async function compareFile(stage: Stage): Promise<void> {
  const folder = newFolder();
  writeFileSync(join(folder, "file.bin"), randomBytes(fileBytes));
  await upload(stage, join(folder, "file.bin"), "file.bin");
  const port = await startNginx(folder);
  const times = await inTurns({
    theirs: () => fetchAll(`http://127.0.0.1:${port}/file.bin`, stage.token),
    ours: () => fetchAll(`${stage.artifacts}/file.bin`, stage.token),
  });
  printRow("nginx, a file of 100 MB", seconds(times.theirs), "1.00×");
  printRow("the same file as an artifact", seconds(times.ours), ratio(times.theirs, times.ours), "≥ 0.3×");
}

/** The first round warms up, and does not count. */
async function inTurns<Name extends string>(
  contestants: Readonly<Record<Name, () => Promise<unknown>>>,
): Promise<Record<Name, number[]>> {
  const names = Object.keys(contestants) as Name[];
  const times = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  for (let round = -1; round < rounds; round += 1) {
    for (const name of names) {
      const start = performance.now();
      await contestants[name]();
      if (round >= 0) times[name].push(performance.now() - start);
    }
  }
  return times;
}

function seconds(timesMs: readonly number[]): string {
  return `${(median(timesMs) / 1000).toFixed(3)} s`;
}

function ratio(timesMs: readonly number[], othersMs: readonly number[]): string {
  return `${median(timesMs.map((time, round) => time / othersMs[round]!)).toFixed(2)}×`;
}
