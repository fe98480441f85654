import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Machine } from "../../../src/deployment/ssh/machine.ts";
import { RemoteReleases } from "../../../src/deployment/ssh/remote-releases.ts";
import { TargetFailure } from "../../../src/deployment/supervisor/index.ts";

const canRun = process.platform === "linux" && spawnSync("timeout", ["1", "true"]).status === 0;

/** What is told of a script of a document's that runs on a machine, which is this one without ssh. */
async function whyFailed(command: string, limitMs = 60_000) {
  const folder = mkdtempSync(join(tmpdir(), "slipway-script-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const base = join(folder, "apps", "dep");
  for (const name of ["env", "data", "releases/rel"]) mkdirSync(join(base, name), { recursive: true });
  writeFileSync(join(base, "env", "rel.sent"), "");
  const run: Machine["run"] = async ({ script, words = [], stdin = "", onOutput }) => {
    const child = spawn("sh", ["-c", script, "slipway", ...words]);
    // Not all scripts read what they are given.
    child.stdin.on("error", () => undefined);
    if (typeof stdin === "string") child.stdin.end(stdin);
    const ended = once(child, "exit");
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    onOutput?.(stdout + stderr);
    const [exitCode] = (await ended) as [number | null];
    // As the client of ssh does.
    if (exitCode === 255) throw new TargetFailure("The machine cannot be reached.");
    return { exitCode, stdout, stderr };
  };
  const must: Machine["must"] = async (_what, call) => (await run(call)).stdout;
  const machine = { settings: { folder, scope: "user" }, run, must } as unknown as Machine;
  const releases = new RemoteReleases({ machine, releaseFolder: () => folder });
  const about = { deploymentId: "dep", releaseId: "rel", plan: { programs: [] }, env: {}, secrets: {} };
  const request = { ...about, name: "migrate", command, limitMs, onOutput: () => undefined };
  return releases.runScript(
    request as unknown as Parameters<typeof releases.runScript>[0],
    new AbortController().signal,
  );
}

describe.skipIf(!canRun)("a script on a machine", () => {
  test("that ends with the code of an ssh client is told to have failed, not the machine", async () => {
    expect(await whyFailed("echo no table >&2; exit 255")).toBe(
      "scripts.migrate ended with exit code 255. Last output: no table",
    );
  });

  test("that ends as if its time were over has failed; only one whose time was over took too long", async () => {
    expect(await whyFailed("exit 124")).toBe("scripts.migrate ended with exit code 124.");
    expect(await whyFailed("sleep 60", 1_000)).toContain("took longer than");
  });

  test("that ends well is told of by nothing", async () => {
    expect(await whyFailed("exit 0")).toBeUndefined();
  });
});
