import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const folder = new URL("../benchmarks/", import.meta.url);
/** Loaded by the others. */
const parts = ["measure.ts", "large-document.ts", "all.ts"];
const benchmarks = readdirSync(folder).filter((name) => name.endsWith(".ts") && !parts.includes(name));

test.each(benchmarks)("%s runs with the smallest load", async (name) => {
  const child = spawn(process.execPath, [fileURLToPath(new URL(name, folder))], {
    env: { ...process.env, SLIPWAY_BENCH: "smoke" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [[code], out, err] = await Promise.all([once(child, "exit"), text(child.stdout), text(child.stderr)]);
  expect({ code, err: code === 0 ? "" : err }).toEqual({ code: 0, err: "" });
  expect(out).toMatch(/\d/);
});
