import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { modelVariables } from "../benchmarks/models/copy-model.ts";
import { names } from "../benchmarks/names.ts";
import { dataFolder } from "../packages/server/tests/support/database/run-starter.ts";
import { usedDataFolder } from "../packages/server/tests/support/run-service.ts";

const folder = new URL("../benchmarks/", import.meta.url);
/** Loaded by the others. */
const parts = ["measure", "large-document", "names", "all"];

test("the table of all benchmarks leaves none out", () => {
  const files = readdirSync(folder).filter((name) => name.endsWith(".ts"));
  expect([...names, ...parts].map((name) => `${name}.ts`).toSorted()).toEqual(files.toSorted());
});

/** The others start services and load them for many seconds. */
const short = ["parse-spec", "sandbox", "artifacts", "blueprints", "scans", "cli"];

for (const name of names)
  test(`${name} runs with the smallest load, and leaves no process`, {
    tags: short.includes(name) ? [] : "long",
  }, async () => {
    const marker = `SLIPWAY_BENCH_MARKER_${process.pid}_${name.replaceAll("-", "_")}`;
    const { code, out, err } = await run(name, { [marker]: "1", ...(await modelFor(name)) });
    expect({ code, err: code === 0 ? "" : err }).toEqual({ code: 0, err: "" });
    expect(out).toMatch(/\d/);
    // A child that was told to end may take a moment.
    if (process.platform === "linux") await expect.poll(() => commandsWith(marker)).toEqual([]);
  });

test("one that is interrupted leaves no process", async () => {
  const marker = `SLIPWAY_BENCH_MARKER_${process.pid}_interrupted`;
  const child = start("artifacts", { [marker]: "1", ...(await modelFor("artifacts")) });
  await expect.poll(() => commandsWith(marker).join()).toContain("slipway-server");
  child.kill("SIGTERM");
  await once(child, "exit");
  await expect.poll(() => commandsWith(marker)).toEqual([]);
});

test("where another program is missing, that is said instead of a number", async () => {
  const { code, out } = await run("artifacts", { PATH: "/nowhere", ...(await modelFor("artifacts")) });
  expect(code).toBe(0);
  expect(out.match(/not measured: curl is not installed/g)).toHaveLength(2);
});

/** The data folder from which a benchmark's own are copied. How long a first start takes is measured with none (http). */
async function modelFor(name: string): Promise<NodeJS.ProcessEnv> {
  if (["http", "artifacts", "dashboard"].includes(name)) return { [modelVariables.service]: await usedDataFolder() };
  if (["engine", "supervisor", "webhooks"].includes(name)) return { [modelVariables.database]: await dataFolder() };
  return {};
}

function start(name: string, env: NodeJS.ProcessEnv) {
  return spawn(process.execPath, [fileURLToPath(new URL(`${name}.ts`, folder))], {
    env: { ...process.env, SLIPWAY_BENCH: "smoke", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

async function run(name: string, env: NodeJS.ProcessEnv): Promise<{ code: number | null; out: string; err: string }> {
  const child = start(name, env);
  const [[code], out, err] = await Promise.all([once(child, "exit"), text(child.stdout), text(child.stderr)]);
  return { code: code as number | null, out, err };
}

/** The command lines of processes whose environment has a variable of this name. */
function commandsWith(variable: string): string[] {
  return readdirSync("/proc")
    .filter((pid) => /^\d+$/.test(pid))
    .flatMap((pid) => {
      try {
        const isMarked = readFileSync(`/proc/${pid}/environ`, "latin1").includes(`${variable}=`);
        return isMarked ? [readFileSync(`/proc/${pid}/cmdline`, "latin1").replaceAll("\0", " ")] : [];
      } catch {
        return []; // It has ended meanwhile.
      }
    });
}
