/**
 * Runs every benchmark, one after the other, and prints one table: `npm run bench:all`. A benchmark that fails is named in it,
 * and the others go on. `SLIPWAY_BENCH=smoke` runs each with the smallest load.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { names } from "./names.ts";

interface Row {
  readonly what: string;
  readonly value: string;
  readonly ratio: string;
  readonly goal: string;
}

const folder = mkdtempSync(join(tmpdir(), "slipway-bench-"));
const table: string[] = [];
try {
  for (const name of names) {
    const rows = join(folder, name);
    const child = spawn(process.execPath, [fileURLToPath(new URL(`${name}.ts`, import.meta.url))], {
      env: { ...process.env, SLIPWAY_BENCH_ROWS: rows },
      stdio: "inherit",
    });
    const [code] = (await once(child, "exit")) as [number | null];
    table.push(...readRows(rows).map((row) => line(name, row)));
    if (code === 0) continue;
    table.push(line(name, { what: `FAILED with exit code ${code}`, value: "", ratio: "", goal: "" }));
    process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(`\nAll benchmarks\n${table.join("\n")}`);

function readRows(file: string): Row[] {
  try {
    const lines = readFileSync(file, "utf8").trim().split("\n");
    return lines.map((text) => JSON.parse(text) as Row).filter(({ what }) => what !== "");
  } catch {
    return [];
  }
}

function line(name: string, { what, value, ratio, goal }: Row): string {
  return `${name.padEnd(11)} ${what.padEnd(56)} ${value.padStart(12)} ${ratio.padStart(8)}  ${goal}`.trimEnd();
}
