import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { copyOfModel, type User, users } from "./database/run-starter.ts";
import { readPid } from "./read-pid.ts";
import { until } from "./until.ts";

/** The server's own entry, and the command that people type. */
export const entry = fileURLToPath(new URL("../../bin/slipway-server.cjs", import.meta.url));
export const launcher = fileURLToPath(new URL("../../../cli/bin/slipway.cjs", import.meta.url));

interface RunOptions {
  /** Added to ours, from which every SLIPWAY_ variable is taken away. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly user?: User;
  readonly program?: string;
  /** Arguments for Node itself. */
  readonly nodeArgs?: readonly string[];
  /** How many files it may have open; left out: as many as we may. */
  readonly maxOpenFiles?: number;
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

/** A command of ours in a process group of its own; after the test it is gone. */
export class Run {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  out = "";
  err = "";

  constructor(
    args: readonly string[],
    { env = {}, cwd = "/", user, program = launcher, nodeArgs = [], maxOpenFiles }: RunOptions = {},
  ) {
    const limit = maxOpenFiles === undefined ? "" : `ulimit -n ${maxOpenFiles};`;
    const line = [process.execPath, ...nodeArgs, program, ...args];
    const child = spawn("sh", ["-c", `${limit} exec "$@"`, "sh", ...line], {
      cwd,
      env: { ...withoutOurs(process.env), ...env },
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
      ...(user && { uid: user.uid, gid: user.gid }),
    });
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      this.out += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.err += text;
    });
    this.child = child;
    this.ended = once(child, "close").then(() => ({
      code: child.exitCode,
      signal: child.signalCode,
      out: this.out,
      err: this.err,
    }));
    onTestFinished(() => this.killGroup());
  }

  /** Ends all of the command's processes as the kernel does when memory runs out; the database has a group of its own. */
  async killGroup(): Promise<void> {
    try {
      process.kill(-this.child.pid!, "SIGKILL");
    } catch {
      // Gone already.
    }
    await this.ended;
  }
}

/** Runs a command to its end. */
export function run(args: readonly string[], options?: RunOptions): Promise<Ended> {
  return new Run(args, options).ended;
}

/** A service that runs on a data folder. */
export class Service extends Run {
  readonly data: string;
  address = "";

  constructor(
    data: string,
    args: readonly string[] = [],
    options: RunOptions = {},
    command: readonly string[] = ["serve", "--port", "0", "--data", data],
  ) {
    // What is deployed ends with the service, unless a test is about its outliving it.
    const env = { SLIPWAY_SUPERVISOR: "inside", ...options.env };
    super([...command, ...args], { cwd: dirname(data), ...options, env });
    this.data = data;
  }

  /** Waits until it says where it is. */
  async ready(): Promise<this> {
    let hasEnded = false;
    void this.ended.then(() => {
      hasEnded = true;
    });
    this.address = await until(() => {
      if (hasEnded) throw new Error(`The service ended instead of starting: ${this.err}`);
      return /^Slipway is ready at (\S+)\n/.exec(this.out)?.[1];
    });
    return this;
  }

  get adminToken(): string {
    return readFileSync(join(this.data, "admin-token"), "utf8").trim();
  }

  /** Calls it as the administrator, unless another token is given. */
  async call(path: string, init: RequestInit & { token?: string } = {}): Promise<Response> {
    const { token = this.adminToken, ...rest } = init;
    return fetch(this.address + path, {
      signal: AbortSignal.timeout(240_000),
      ...rest,
      headers: { authorization: `Bearer ${token}`, ...(rest.headers as Record<string, string>) },
    });
  }

  async createProject(document: string, headers: Record<string, string> = {}): Promise<{ project_id: string }> {
    const answer = await this.call("/api/v1/projects", {
      method: "POST",
      headers: { "content-type": "application/yaml", ...headers },
      body: document,
    });
    if (answer.status !== 201) throw new Error(`No project was made: ${await answer.text()}`);
    return (await answer.json()) as { project_id: string };
  }

  /** The process that serves, where a launcher stands before it. */
  get serverPid(): number {
    return childrenOf(this.child.pid!)[0] ?? this.child.pid!;
  }

  /** The process of its database; nothing while there is none. */
  get postgresPid(): number | undefined {
    return readPid(join(this.data, "postgres", "data", "postmaster.pid"));
  }

  /** Asks it to end, and waits until it has. */
  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<Ended> {
    this.child.kill(signal);
    return this.ended;
  }
}

export function startService(data: string, args?: readonly string[], options?: RunOptions): Promise<Service> {
  return new Service(data, args, options).ready();
}

/** A data folder on which a service has run before and has ended: the next start makes and migrates no database. */
export function usedDataFolder(): Promise<string> {
  return copyOfModel("service", users[0]!, async (folder) => {
    const service = await startService(folder);
    await service.stop();
  });
}

function childrenOf(pid: number): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && statusOf(Number(name))?.parent === pid)
    .map(Number);
}

/** Of a process that lives: its parent and its group. A dead one that nobody has asked for yet does not count. */
export function statusOf(pid: number): { parent: number; group: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    const [state, parent, group] = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return state === "Z" ? undefined : { parent: Number(parent), group: Number(group) };
  } catch {
    return undefined;
  }
}

export function withoutOurs(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  // Tests may themselves be started by npx, which the command would take for its own.
  const ours = (name: string) => name.startsWith("SLIPWAY_") || name.startsWith("npm_lifecycle_");
  return Object.fromEntries(Object.entries(env).filter(([name]) => !ours(name)));
}
