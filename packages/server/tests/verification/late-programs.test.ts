import { acceptanceLines } from "@slipway/spec";
import { expect, test } from "vitest";
import { runProgram } from "../../src/deployment/releases/run-program.ts";
import { runDeploymentScript } from "../../src/deployment/run-scripts.ts";
import type { CommandLimits, CommandToRun } from "../../src/platform/sandbox/index.ts";
import { checkCommands } from "../../src/verification/probes/check-commands.ts";
import { checkSoftware } from "../../src/verification/probes/check-software.ts";
import { checkTypes } from "../../src/verification/types/check-types.ts";
import { documentWith, sharedSandbox, writeProject } from "../support/verification/test-project.ts";

const { signal } = new AbortController();
const openLog = () => ({ write: () => undefined, end: () => undefined });

/** For whose commands the time is over as soon as they begin. */
async function hastySandbox() {
  const sandbox = await sharedSandbox();
  return {
    ...{ found: sandbox.found, temporary: sandbox.temporary },
    startProcess: sandbox.startProcess.bind(sandbox),
    startCommand: sandbox.startCommand.bind(sandbox),
    runCommand: (toRun: CommandToRun, limits: CommandLimits) => sandbox.runCommand(toRun, { ...limits, limitMs: 1 }),
  };
}

const minutes = { minuteMs: 60_000, cache: undefined, secrets: {}, signal, openLog };

test("a health check that takes too long says which limit it has", async () => {
  const serve = 'require("http").createServer((q, s) => s.end()).listen(process.env.PORT, process.env.HOST)';
  const scripts = { start: `${process.execPath} -e '${serve}'`, health_check: "sleep 1000" };
  const document = documentWith({ scripts });
  const toCheck = { ...minutes, document, folder: writeProject({}), scripts, lines: [] };
  const { verdicts } = await checkSoftware(await hastySandbox(), toCheck);
  expect(verdicts).toMatchObject([
    { verdict: "failed", reason: "scripts.health_check took longer than 60 seconds. Make it quicker." },
  ]);
});

test("a command that takes too long says which limit it has", async () => {
  const document = documentWith({ acceptance: { commands: [{ command: "sleep 1000", timeout_seconds: 7 }] } });
  const toCheck = { document, folder: writeProject({}), signal, secrets: {}, openLog };
  const verdicts = await checkCommands(await hastySandbox(), toCheck, acceptanceLines(document));
  expect(verdicts).toMatchObject([
    {
      verdict: "failed",
      reason: "sleep 1000: It took longer than 7 seconds. Raise its timeout_seconds, or make it quicker.",
    },
  ]);
});

test("a checker of types that takes too long says which limit it has", async () => {
  const document = documentWith({ guardrails: { type_check: true } });
  const folder = writeProject({ "a.py": "three: int = 3\n" });
  const { verdicts } = await checkTypes(await hastySandbox(), { ...minutes, document, folder });
  expect(verdicts).toMatchObject([
    {
      verdict: "failed",
      reason: "mypy took longer than 30 minutes. Raise timeouts.implementation_minutes, or make it quicker.",
    },
  ]);
});

test.for([
  ["health_check", "scripts.health_check took longer than 60 seconds. Make it quicker."],
  [
    "migrate",
    "scripts.migrate took longer than 60 seconds. Raise timeouts.implementation_minutes, or make it quicker.",
  ],
] as const)("a script of a deployment that takes too long says which limit it has: %s", async ([name, message]) => {
  const failure = await runDeploymentScript(await hastySandbox(), {
    ...{ name, command: "sleep 1000", document: documentWith({}), folder: writeProject({}), env: {}, secrets: {} },
    ...{ limitMs: 60_000, maxDiskBytes: 2 ** 30, signal, openLog },
  });
  expect(failure).toBe(message);
});

test("a program that packs a result and takes too long says which limit it has", async () => {
  const document = documentWith({});
  const limits = { memoryBytes: 2 ** 30, cpuCores: 1, processes: 64, diskBytes: 2 ** 30 };
  const release = { document, folder: writeProject({}), current: "/nowhere", limits, limitMs: 90_000, signal };
  const run = async (maxMs?: number) => {
    const program = { name: "npm pack", command: "sleep 1000", ...(maxMs !== undefined && { maxMs }) };
    return (await runProgram({ sandbox: await hastySandbox() }, release, program))?.failure;
  };
  expect(await run()).toBe(
    "npm pack took longer than 90 seconds. Raise timeouts.implementation_minutes, or make it quicker.",
  );
  expect(await run(20_000)).toBe("npm pack took longer than 20 seconds. Make it quicker.");
});
