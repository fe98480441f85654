import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { freePort } from "../../../../tools/free-port.ts";
import { type Built, writeOut } from "./build-document.ts";

interface Ended {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command line in a folder, to its end. */
export async function runIn(folder: string, command: string, stdin = ""): Promise<Ended> {
  const direct = inOneProcess(withoutNpm(folder, command));
  const child = spawn("/bin/sh", ["-c", direct], { cwd: folder, env: environment() });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk) => (stdout += chunk));
  child.stderr.on("data", (chunk) => (stderr += chunk));
  child.stdin.on("error", () => {});
  child.stdin.end(stdin);
  const [exitCode] = (await once(child, "close")) as [number | null];
  return { exitCode, stdout, stderr };
}

/** Runs the tests of a result, which must pass; writes it out first unless it has a folder. Returns the folder. */
export async function expectTestsPass(built: Built, written?: string): Promise<string> {
  const folder = written ?? (await writeOut(built));
  const { exitCode, stdout, stderr } = await runIn(folder, built.scripts["test"]!);
  expect(exitCode, stdout + stderr).toBe(0);
  return folder;
}

/** The token that started projects expect, unless their document names another variable for it. */
export const token = "the token of the test";

/** Starts a project on a free port, until the test is over; returns its address once it reports itself healthy. */
export async function startProject(folder: string, command: string, tokenVariable = "API_TOKEN"): Promise<string> {
  const { address } = await runProject(folder, command, { [tokenVariable]: token });
  return address;
}

interface RunningProject {
  readonly address: string;
  /** Ends it as a crash would. */
  readonly kill: () => Promise<void>;
}

/** The same, with further variables of its environment, and a way to end it. */
export async function runProject(
  folder: string,
  command: string,
  variables: Readonly<Record<string, string>>,
): Promise<RunningProject> {
  const port = await freePort();
  const env = { ...environment(), HOST: "127.0.0.1", PORT: String(port), ...variables };
  const direct = withoutNpm(folder, command);
  const child = spawn("/bin/sh", ["-c", direct], { cwd: folder, env, detached: true, stdio: "ignore" });
  const kill = () => stop(child);
  onTestFinished(kill);
  const address = `http://127.0.0.1:${port}`;
  // No limit of its own: on a busy machine the test's own is the only one that counts.
  while (child.exitCode === null) {
    const isUp = await fetch(`${address}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isUp) return { address, kill };
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`'${command}' ended with ${child.exitCode}.`);
}

/** What package.json says of a script without arguments: npm would take half a second to say it, some two hundred times. */
function withoutNpm(folder: string, command: string): string {
  return command.replaceAll(/\bnpm (?:run )?([\w:.-]+)(?![\w:.-]| -- )/g, (whole, name: string) => {
    const { scripts } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
      scripts: Record<string, string>;
    };
    if (`pre${name}` in scripts || `post${name}` in scripts) return whole;
    return scripts[name] ?? whole;
  });
}

/**
 * The same tests without a process for each of their files, which costs more than what they try. The examples are verified with one each,
 * as projects are.
 */
function inOneProcess(command: string): string {
  return command.replaceAll(/\bnode --test(?![\w-])(?! --test-isolation)/g, "node --test --test-isolation=none");
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const closed = once(child, "exit");
  process.kill(-child.pid, "SIGKILL");
  await closed;
}

/** What the tests of this repository run under must not reach the tests of what they built. */
function environment(): NodeJS.ProcessEnv {
  const { NODE_OPTIONS: _, NODE_TEST_CONTEXT: __, NODE_V8_COVERAGE: ___, ...env } = process.env;
  return env;
}
