import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import picocolors from "picocolors";
import { onTestFinished } from "vitest";
import { runCommandLine } from "../src/run-command-line.ts";

export const launcher = fileURLToPath(new URL("../bin/slipway.cjs", import.meta.url));
export const root = fileURLToPath(new URL("../../../", import.meta.url));

// Commands print local times.
process.env["TZ"] = "UTC";

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

interface CommandOptions {
  readonly input?: string | Uint8Array;
  /** Only one command may run in a folder at a time: the folder is the one of this process. */
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** What a person types when the command asks; without it nobody is there. */
  readonly answers?: readonly string[];
}

/** Runs a command in this process, on a terminal that is none: nothing has a colour, and no signal comes. */
export async function slipway(args: readonly string[], options: CommandOptions = {}): Promise<Ended> {
  let out = "";
  let err = "";
  const decoder = new TextDecoder();
  const { input, cwd = root, env } = options;
  const answers = options.answers === undefined ? undefined : [...options.answers];
  process.chdir(cwd);
  try {
    const code = await runCommandLine(
      {
        env: { ...process.env, ...env },
        input: Readable.from(input === undefined ? [] : [Buffer.from(input)]),
        colors: picocolors.createColors(false),
        out: (text) => {
          out += `${text}\n`;
        },
        write: async (bytes) => {
          out += decoder.decode(bytes, { stream: true });
        },
        err: (text) => {
          err += `${text}\n`;
        },
        ...(answers !== undefined && {
          ask: async (question) => {
            err += question;
            return answers.shift() ?? "";
          },
        }),
        onSignal: () => undefined,
        live: () => undefined,
      },
      args,
    );
    return { code, signal: null, out, err };
  } finally {
    process.chdir(root);
  }
}

interface ProcessOptions extends CommandOptions {
  /** Arguments for Node itself. */
  readonly nodeArgs?: readonly string[];
  readonly file?: string;
}

/** Runs the command as a user would, in a process of its own, and waits for its end. */
export function slipwayProcess(args: readonly string[], options: ProcessOptions = {}): Promise<Ended> {
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
