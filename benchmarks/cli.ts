/**
 * How long commands take from start to end, as multiples of what Node itself takes to do nothing: `npm run bench:cli`.
 * `run` on a warm service: from the command's start to its end, less the time that the project itself took.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { createClient } from "@slipway/client";
import { bundleProgram, command, service as serviceProgram } from "../tools/bundle-programs.ts";
import { isSmoke, measureInTurns, median, printRow, sized } from "./measure.ts";

const slipway = fileURLToPath(new URL("../packages/cli/bin/slipway.cjs", import.meta.url));
const example = fileURLToPath(new URL("../examples/cli.yaml", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "slipway-bench-cli-"));
const data = join(folder, "data");

await bundleProgram(serviceProgram);
await bundleProgram(command);
const service = spawn(process.execPath, [slipway, "serve", "--host", "127.0.0.1", "--port", "0", "--data", data], {
  stdio: ["ignore", "pipe", "ignore"],
});
const ended = once(service, "exit");
try {
  const url = await addressOf(service.stdout);
  measureStarts();
  if (!isSmoke) await measureRuns(url);
} finally {
  service.kill("SIGTERM");
  await ended;
  rmSync(folder, { recursive: true, force: true });
}

function measureStarts(): void {
  const node = (...args: readonly string[]) => {
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
    if (status !== 0) throw new Error(`node ${args.join(" ")}: ${stderr}`);
  };
  const contestants = {
    "node -e 0": () => node("-e", "0"),
    "slipway --version": () => node(slipway, "--version"),
    "slipway projects list": () => node(slipway, "projects", "list", "--data", data),
  };
  const times = measureInTurns(contestants, { rounds: sized(21, 1), warmUps: sized(3, 0) });
  const baseMs = times["node -e 0"];
  const goals = { "node -e 0": "", "slipway --version": "≤ 1.5x", "slipway projects list": "≤ 2.5x" };
  for (const [name, ms] of Object.entries(times) as [keyof typeof times, number][])
    printRow(name, `${ms.toFixed(0)} ms`, `${(ms / baseMs).toFixed(2)}x`, goals[name]);
}

async function measureRuns(url: string): Promise<void> {
  const token = readFileSync(join(data, "admin-token"), "utf8").trim();
  const client = createClient({ url, token });
  const addedMs: number[] = [];
  for (let round = 0; round < 5; round++) {
    const startMs = performance.now();
    const child = spawn(process.execPath, [slipway, "run", example, "--exit-when-done", "--data", data], {
      stdio: "ignore",
    });
    const [code] = (await once(child, "exit")) as [number | null];
    const tookMs = performance.now() - startMs;
    if (code !== 0) throw new Error(`slipway run ended with exit code ${code}`);
    const { projects } = await client.call("listProjects", { query: { limit: 1 } });
    const [{ created_at, updated_at } = { created_at: "", updated_at: "" }] = projects;
    // The first one also warms up.
    if (round > 0) addedMs.push(tookMs - (Date.parse(updated_at) - Date.parse(created_at)));
  }
  printRow("slipway run, beyond the project's own time", `${median(addedMs).toFixed(0)} ms`, "", "≤ 300 ms");
}

async function addressOf(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: output })) {
    const address = /^Slipway is ready at (\S+)$/.exec(line)?.[1];
    if (address !== undefined) return address;
  }
  throw new Error("the service did not start");
}
