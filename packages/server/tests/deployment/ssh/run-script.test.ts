import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import { runScript } from "../../../src/deployment/ssh/remote-scripts.ts";
import { readStat } from "../../../src/platform/sandbox/process-stat.ts";
import { readPid } from "../../support/read-pid.ts";
import { until } from "../../support/until.ts";

const canRun = process.platform === "linux" && spawnSync("timeout", ["1", "true"]).status === 0;
const hasEnded = (pid: number) => readStat(pid)?.isDead ?? true;

/** Starts a script of a document's as it is started on a machine. It may write to `$SLIPWAY_DATA_DIR`. */
function startScript(command: string, { seconds = 60, input = "" } = {}) {
  const root = mkdtempSync(join(tmpdir(), "slipway-script-"));
  const base = join(root, "apps", "dep");
  for (const name of ["env", "data", "releases/rel", "releases/rel.start"])
    mkdirSync(join(base, name), { recursive: true });
  writeFileSync(join(base, "env", "rel-migrate.env"), `SLIPWAY_DATA_DIR="${base}/data"\n`);
  writeFileSync(join(base, "releases", "rel.start", "migrate.sh"), `${command}\n`);
  const child = spawn("sh", ["-c", input + runScript, "slipway", root, "dep", "rel", "migrate", String(seconds), ""]);
  onTestFinished(() => {
    child.kill("SIGKILL");
    rmSync(root, { recursive: true, force: true });
  });
  const output = text(child.stdout);
  const clientsOwn = text(child.stderr);
  /** The process whose id a script has written there. */
  const processIn = (name: string) => until(() => readPid(join(base, "data", name)));
  const ended = once(child, "exit").then(([code]) => code as number | null);
  return { child, ended, output, clientsOwn, processIn };
}

describe.skipIf(!canRun)("a script on a machine", () => {
  test("tells how it ended, and what it said; the ssh client's words are not mixed with it", async () => {
    const { ended, output, clientsOwn } = startScript("echo so; echo it >&2; cat; exit 7");
    expect([await ended, await output, await clientsOwn]).toEqual([7, "so\nit\n", ""]);
  });

  test("that ignores the end of its time is killed, and has taken too long", { tags: "long" }, async () => {
    const { ended, processIn } = startScript(
      `trap "" TERM; echo $$ > "$SLIPWAY_DATA_DIR/own"; while :; do sleep 1; done`,
      { seconds: 1 },
    );
    const own = await processIn("own");
    expect(await ended).toBe(124);
    await until(() => hasEnded(own));
  });

  test("leaves nothing that keeps its output open", async () => {
    const { ended, output, processIn } = startScript(`sleep 1000 & echo $! > "$SLIPWAY_DATA_DIR/left"; echo done`);
    const left = await processIn("left");
    expect([await ended, await output]).toEqual([0, "done\n"]);
    await until(() => hasEnded(left));
  });

  test("ends when nobody waits for it any more", async () => {
    const { child, ended, processIn } = startScript(`echo $$ > "$SLIPWAY_DATA_DIR/own"; sleep 1000`);
    const own = await processIn("own");
    child.stdin.end();
    expect(await ended).toBe(137);
    await until(() => hasEnded(own));
  });

  test("ends when nobody has ever waited for it", async () => {
    // Which of them has come how far is chance.
    const scripts = Array.from({ length: 12 }, () => startScript("sleep 1000", { input: "exec </dev/null\n" }));
    expect(await Promise.all(scripts.map(({ ended }) => ended))).toEqual(scripts.map(() => 137));
  });
});
