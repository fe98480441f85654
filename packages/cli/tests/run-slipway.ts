import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

export const launcher = fileURLToPath(new URL("../bin/slipway.cjs", import.meta.url));
export const root = fileURLToPath(new URL("../../../", import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

/** Unsets every setting, as on a new machine. */
export const unsetEnv: Readonly<Record<string, string>> = Object.fromEntries(
  Object.keys(process.env)
    .filter((name) => name.startsWith("SLIPWAY_"))
    .map((name) => [name, ""]),
);

/** A document whose project fails at once: no agent has the capability. */
export const helloDocument = `spec_version: "1.0.0"
id: hello
name: Hello
description: Says hello.
outcome_type: api
stack: {}
acceptance: {}
requirements: { agents: { implementer: { capabilities: [alchemy] } } }
`;

interface RunOptions {
  readonly input?: string | Uint8Array;
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Arguments for Node itself. */
  readonly nodeArgs?: readonly string[];
  readonly file?: string;
}

/** Runs the command as a user would, in a process of its own, and waits for its end. */
export function slipway(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  const { promise, resolve, reject } = Promise.withResolvers<Ended>();
  const child = spawn(process.execPath, [...(options.nodeArgs ?? []), options.file ?? launcher, ...args], {
    cwd: options.cwd ?? root,
    env: { ...process.env, NO_COLOR: "1", ...options.env },
  });
  let out = "";
  let err = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    out += chunk;
  });
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    err += chunk;
  });
  child.on("error", reject);
  child.on("close", (code, signal) => resolve({ code, signal, out, err }));
  // The command may end before it has read everything.
  child.stdin.on("error", () => undefined);
  child.stdin.end(options.input);
  return promise;
}

/** A folder with files, gone after the test. */
export async function folderWith(files: Readonly<Record<string, string | Uint8Array>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "slipway-test-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  return folder;
}
