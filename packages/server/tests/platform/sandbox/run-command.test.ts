// @module-tag soak
import { mkdirSync, realpathSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { freePort } from "../../../../../tools/free-port.ts";
import { soakCases } from "../../../../../tools/soak-runs.ts";
import { RunningCommand } from "../../../src/platform/sandbox/index.ts";
import { Masker } from "../../../src/platform/secrets/index.ts";
import { ampleLimits } from "../../support/ample-limits.ts";
import { statusOf } from "../../support/run-service.ts";
import { noBubblewrap, sandboxFor, ways } from "../../support/sandboxes.ts";
import { until } from "../../support/until.ts";

const never = new AbortController().signal;

test.skipIf(noBubblewrap)("a link where a command begins leads nowhere, and changes nobody's files", async () => {
  const { sandbox, folder, place } = sandboxFor("bubblewrap");
  const others = join(place, "others");
  mkdirSync(join(others, "web"), { recursive: true });
  writeFileSync(join(others, "web/key.txt"), "of somebody else");
  const ownerBefore = statSync(join(others, "web/key.txt")).uid;
  const account = { name: "one", folders: [] };
  const run = (startsIn: string) =>
    sandbox.runCommand(
      { command: "cat key.txt", folder, startsIn, env: {}, account },
      { ...ampleLimits, limitMs: 60_000, signal: never },
    );
  symlinkSync(others, join(folder, "services"));
  symlinkSync(join(others, "web"), join(folder, "web"));
  for (const startsIn of ["services/web", "web"]) {
    const { exitCode, stdout } = await run(startsIn);
    expect({ exitCode, stdout }).toEqual({ exitCode: 126, stdout: "" });
  }
  expect(statSync(join(others, "web/key.txt")).uid).toBe(ownerBefore);
});

const isLinux = process.platform === "linux";
test.runIf(isLinux)("a command that has ended in its time has, though nobody had a core to hear of it", async () => {
  const { start } = sandboxFor("plain");
  const limits = { wallMs: 50 };
  const { child } = await start({ command: ["true"], limits });
  const untilMs = performance.now() + 2 * limits.wallMs;
  // Nothing else of this process goes on meanwhile.
  while (performance.now() < untilMs || statusOf(child.pid) !== undefined);
  expect(await child.ended).toMatchObject({ is: "exited", exitCode: 0 });
});

test("a command that cannot be watched any more has failed, and nothing else has", async () => {
  const ended = Promise.reject(new Error("no file can be opened"));
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const starter = {
    startProcess: async () => ({ stdout, stderr, stdin: null, ended, isOver: false, kill: async () => {} }),
  };
  const running = new RunningCommand(starter as never, { command: "true", folder: "/", env: {} }, ampleLimits);
  expect(await running.ended).toMatchObject({ is: "exited", exitCode: 127 });
  expect(await running.output()).toContain("no file can be opened");
});

test("a secret is masked also where what a program says of an error comes between its halves", async () => {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const { promise: ended, resolve } = Promise.withResolvers<unknown>();
  const starter = {
    startProcess: async () => ({ stdout, stderr, stdin: null, ended, isOver: false, kill: async () => {} }),
  };
  const masker = new Masker(["open-sesame-4711"]);
  const log = new Masker(["open-sesame-4711"]);
  let shown = "";
  const onOutput = (text: string) => {
    shown += log.push(text);
  };
  const toRun = { command: "true", folder: "/", env: {}, masker, onOutput };
  const running = new RunningCommand(starter as never, toRun, ampleLimits);
  for (const [stream, text] of [
    [stdout, "the key is open-ses"],
    [stderr, "a warning\n"],
    [stdout, "ame-4711\n"],
  ] as const) {
    stream.write(text);
    // Until it was read.
    await new Promise(setImmediate);
  }
  for (const stream of [stdout, stderr]) stream.end();
  resolve({ is: "exited", exitCode: 0, signal: null, use: {} });
  await running.ended;
  expect(shown + log.end()).toBe("a warning\nthe key is ********\n");
  expect(await running.output()).toBe("a warning\nthe key is ********\n");
});

describe.for(soakCases(ways))("commands, %s:", (way) => {
  test("a command runs to its end, and the end of its output is returned", async () => {
    const { sandbox, folder } = sandboxFor(way);
    const command = `echo "$A"; echo trouble >&2; head -c 100000 /dev/zero | tr '\\0' x; echo end; exit 3`;
    const end = await sandbox.runCommand(
      { command, folder, env: { A: "b" } },
      { ...ampleLimits, limitMs: 60_000, signal: never },
    );
    expect(end).toMatchObject({ exitCode: 3, isTimedOut: false });
    expect(end.output.length).toBeGreaterThan(50 * 1024);
    expect(end.output.length).toBeLessThanOrEqual(64 * 1024);
    expect(end.output).toContain("end\n");
    // Two pipes have no common order: what came when is chance.
    expect(end.stderr).toBe("trouble\n");
  });

  test("the end of its output begins with a whole line, so that nothing looks like the beginning of one", async () => {
    const { sandbox, folder } = sandboxFor(way);
    const command = "for at in 1 2 3 4 5 6 7 8 9; do head -c 9000 /dev/zero | tr '\\0' x; echo \" of line $at\"; done";
    const toRun = { command, folder, env: {} };
    for (const masker of [undefined, new Masker(["a-secret-of-nobody"])]) {
      const limits = { ...ampleLimits, limitMs: 60_000, signal: never };
      const { output } = await sandbox.runCommand({ ...toRun, ...(masker && { masker }) }, limits);
      expect(output.split("\n").map((line) => line.length)).toEqual([...Array(7).fill(9_010), 0]);
    }
  });

  test("a command that takes too long is ended", async () => {
    const { sandbox, folder } = sandboxFor(way);
    const toRun = { command: "echo begun; sleep 1000", folder, env: {} };
    const end = await sandbox.runCommand(toRun, { ...ampleLimits, limitMs: 500, signal: never });
    expect(end).toMatchObject({ exitCode: null, isTimedOut: true, output: "begun\n" });
  });

  test("a command can be cancelled, and limited", async () => {
    const { sandbox, folder } = sandboxFor(way);
    const toRun = { command: "yes", folder, env: {} };
    const cancelled = await sandbox.runCommand(toRun, { ...ampleLimits, limitMs: 60_000, signal: AbortSignal.abort() });
    expect(cancelled).toMatchObject({ exitCode: null, isTimedOut: false, outcome: { is: "cancelled" } });
    const limited = await sandbox.runCommand(toRun, {
      ...ampleLimits,
      limitMs: 60_000,
      signal: never,
      outputBytes: 1_000,
    });
    expect(limited).toMatchObject({ exitCode: null, isTimedOut: false, outcome: { is: "output", limit: 1_000 } });
  });

  test("a command begins where it is told to, and sees the whole folder", async () => {
    const { sandbox, folder } = sandboxFor(way);
    mkdirSync(join(folder, "services/web"), { recursive: true });
    writeFileSync(join(folder, "shared.txt"), "shared");
    const toRun = { command: "pwd; cat ../../shared.txt", folder, startsIn: "services/web", env: {} };
    const end = await sandbox.runCommand(toRun, { ...ampleLimits, limitMs: 60_000, signal: never });
    expect(end.output).toBe(`${join(realpathSync(folder), "services/web")}\nshared`);
  });

  test("a command whose folder is missing ends with 127", async () => {
    const { sandbox, folder } = sandboxFor(way);
    const toRun = { command: "true", folder: join(folder, "missing"), env: {} };
    const end = await sandbox.runCommand(toRun, { ...ampleLimits, limitMs: 60_000, signal: never });
    expect(end).toMatchObject({ exitCode: 127, output: expect.stringContaining("ENOENT") });
    expect(await sandbox.startCommand(toRun, ampleLimits).ended).toMatchObject({ is: "exited", exitCode: 127 });
  });

  test("software that was started can be reached from here, until it is killed", async () => {
    const { sandbox, folder } = sandboxFor(way);
    const command = `node -e 'require("http").createServer((q, s) => s.end("hello")).listen(process.env.PORT, "127.0.0.1")'`;
    const port = await freePort();
    const running = sandbox.startCommand({ command, folder, env: { PORT: String(port) } }, ampleLimits);
    const answer = () => fetch(`http://127.0.0.1:${port}`).then((response) => response.text());
    expect(await until(() => answer().catch(() => undefined))).toBe("hello");
    running.kill();
    expect(await running.ended).toEqual({ is: "cancelled" });
    await expect(answer()).rejects.toThrow();
  });

  test("software that is killed before it was started never is", async () => {
    const { sandbox, folder } = sandboxFor(way);
    const running = sandbox.startCommand({ command: "sleep 1000", folder, env: {} }, ampleLimits);
    running.kill();
    expect(await running.ended).toEqual({ is: "cancelled" });
    expect(await running.output()).toBe("");
  });
});
