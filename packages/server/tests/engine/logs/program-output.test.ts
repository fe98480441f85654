import { expect, test } from "vitest";
import { type LogChunk, LogWriter, openMasked } from "../../../src/engine/logs/index.ts";
import { Masker } from "../../../src/platform/secrets/index.ts";
import { ampleLimits } from "../../support/ample-limits.ts";
import { sandboxFor } from "../../support/sandboxes.ts";

const never = new AbortController().signal;
const origin = { projectId: "p", source: "build", taskId: "t", attempt: 1, agentId: "a" };
const debug = { level: "info" } as Parameters<typeof openMasked>[2]["debug"];

function openLog(secrets: readonly string[]) {
  const chunks: LogChunk[] = [];
  const logs = { open: () => new LogWriter(origin, (chunk) => void chunks.push(chunk)) };
  const log = openMasked(logs, origin, { debug, secrets });
  return { log, text: () => chunks.map(({ text }) => text).join("") };
}

test("a program that writes six lines of 65,535 letters does not hold up the event loop", async () => {
  const { sandbox, folder } = sandboxFor("plain");
  const secrets = [`${"a".repeat(100)}b`, "hunter2/swordfish"];
  const { log, text } = openLog(secrets);
  const command = `node -e 'for (let i = 0; i < 6; i++) console.log("a".repeat(65535))'`;
  const turns = watchTurns();
  const toRun = { command, folder, env: {}, masker: new Masker(secrets), onOutput: log.write };
  const end = await sandbox.runCommand(toRun, { ...ampleLimits, limitMs: 60_000, signal: never });
  log.end();
  const longestMs = turns.stop();
  expect(text() === `${"a".repeat(65_535)}\n`.repeat(6)).toBe(true);
  // What is kept begins with a whole word, or with what is left of a very long one.
  expect(end.output.length).toBeGreaterThan(50 * 1024);
  expect(end.output.length).toBeLessThanOrEqual(64 * 1024);
  // A slice takes three; one line once took five thousand.
  expect(longestMs).toBeLessThan(500);
});

test("a secret that the end of the output begins in the middle of is masked all the same", {
  tags: "long",
}, async () => {
  const { sandbox, folder } = sandboxFor("plain");
  const key = [
    "-----BEGIN PRIVATE KEY-----",
    ..."abcdefgh".split("").map((one) => one.repeat(64)),
    "-----END PRIVATE KEY-----",
  ];
  const long = Array.from({ length: 4_000 }, (_, index) => `${index * 7919}`).join("-");
  // What is left of a word is dropped with it; of more than that, the mask is seen.
  for (const [secret, shown] of [
    ["hunter2/swordfish", /^y+$/],
    [key.join("\n"), /^\*{8}y+$/],
    [long, /^\*{8}y+$/],
  ] as const) {
    // The last 64 Ki characters begin in the middle of the secret.
    const command = `node -e 'process.stdout.write("x".repeat(70000) + process.env.KEY + "y".repeat(65536 - (process.env.KEY.length >> 1)))'`;
    const toRun = { command, folder, env: { KEY: secret }, masker: new Masker(["hunter2/swordfish", long]) };
    const { output } = await sandbox.runCommand(toRun, { ...ampleLimits, limitMs: 60_000, signal: never });
    expect(output).toMatch(shown);
  }
});

test("what could take over a terminal is not stored, also where it comes in pieces, and hides no secret", () => {
  const { log, text } = openLog(["hunter2/swordfish"]);
  for (const part of [
    "\u001b[3",
    "1mred\u001b[0m \u001b[2",
    "Jhun",
    "\0",
    "ter2/\u001b]0;ti",
    "tle\u0007sword\u001b",
    "[1mfish \u001b(Bend\n",
  ])
    log.write(part);
  log.end();
  expect(text()).toBe("\u001b[31mred\u001b[0m ******** end\n");
});

/** Measures what the longest turn of the event loop costs, in milliseconds of a core. */
function watchTurns() {
  let longestMs = 0;
  let isOver = false;
  let before = process.threadCpuUsage();
  const turn = () => {
    const { user, system } = process.threadCpuUsage(before);
    longestMs = Math.max(longestMs, (user + system) / 1000);
    before = process.threadCpuUsage();
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  return {
    stop: () => {
      isOver = true;
      return longestMs;
    },
  };
}
