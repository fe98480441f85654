import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, existsSync, readdirSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { inject, onTestFinished } from "vitest";
import { until } from "../until.ts";
import { fastFolder } from "./fast-folder.ts";

export interface User {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

const program = fileURLToPath(new URL("starter.ts", import.meta.url));
export const isRoot = process.getuid!() === 0;
const root: User = { name: "root", uid: 0, gid: 0 };
/** An account that every system has and that nobody uses. */
const plain: User = { name: "a plain user", uid: 1, gid: 1 };
const ourselves: User = { name: "the user who runs the tests", uid: process.getuid!(), gid: process.getgid!() };

/** All kinds of users that can be tried here; the plain one must be able to read this repository. */
export const users: readonly User[] = isRoot ? [root, ...(isOpenToAll(program) ? [plain] : [])] : [ourselves];
export const plainUsers = users.filter(({ uid }) => uid !== 0);

/** A folder of that user's, gone after the test together with every process that works in it. */
export async function testFolder(user: User = users[0]!, base = fastFolder()): Promise<string> {
  const folder = await ownedFolder(user, base);
  onTestFinished(async () => {
    await endProcessesIn(folder);
    await rm(folder, { recursive: true, force: true });
  });
  return folder;
}

const runningStarters = new Set<Starter>();

/** Starters go first: they would start again what is killed. */
export async function endProcessesIn(folder: string): Promise<void> {
  for (const starter of runningStarters) await starter.kill();
  for (const pid of processesIn(folder)) signal(pid, "SIGKILL");
  await until(() => processesIn(folder).length === 0);
}

/** A data folder with an empty database in it. */
export function dataFolder(user: User = users[0]!): Promise<string> {
  return copyOfModel("database", user, async (model) => {
    const starter = new Starter(model, { user });
    await starter.start();
    await starter.order("stop", "stopped");
  });
}

/**
 * A copy of a data folder, which is made faster than a new one. The first test of the run that needs the model makes it; it
 * goes with the folder of the run.
 */
export async function copyOfModel(name: string, user: User, make: (folder: string) => Promise<void>): Promise<string> {
  const model = join(inject("runFolder"), `${name}-of-${user.uid}`);
  if (!existsSync(model)) {
    const folder = await ownedFolder(user, inject("runFolder"));
    await make(folder);
    // Another worker may have been faster; its model is as good.
    await rename(folder, model).catch(() => rm(folder, { recursive: true, force: true }));
  }
  const folder = join(await testFolder(user), "data");
  execFileSync("cp", ["-a", model, folder]);
  return folder;
}

async function ownedFolder(user: User, base: string): Promise<string> {
  const folder = realpathSync(await mkdtemp(join(base, "slipway-test-")));
  chmodSync(folder, 0o755);
  chownSync(folder, user.uid, user.gid);
  return folder;
}

/** The processes whose working folder is in this one: those of Postgres have its data folder. */
export function processesIn(folder: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => `${workingFolder(pid)}/`.startsWith(`${folder}/`));
}

export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // Gone already.
  }
}

interface StarterOptions {
  readonly user?: User;
  readonly env?: NodeJS.ProcessEnv;
  readonly program?: string;
}

interface StarterMessage {
  readonly event: string;
  readonly pid: number;
  readonly wasAdopted: boolean;
  readonly connection: { host: string; port: number; user: string; database: string };
  readonly folder: string;
  readonly code: string;
  readonly message: string;
  readonly holder: { pid: number; address?: string; since: string };
}

/** A process of its own that starts the database of a folder. */
export class Starter {
  readonly child: ChildProcess;
  readonly #messages: StarterMessage[] = [];
  readonly #exited: Promise<unknown>;

  constructor(folder: string, options: StarterOptions = {}) {
    const { user = users[0]!, env } = options;
    this.child = spawn(process.execPath, [options.program ?? program, folder], {
      uid: user.uid,
      gid: user.gid,
      cwd: "/",
      // Many are started, and half of the time of each would go into compiling the same files.
      env: { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), `node-compile-cache-${user.uid}`), ...env },
      detached: true,
      stdio: ["pipe", "pipe", "inherit"],
    });
    createInterface(this.child.stdout!).on("line", (line) => this.#messages.push(JSON.parse(line) as StarterMessage));
    this.child.stdin!.on("error", () => undefined);
    this.#exited = once(this.child, "exit");
    runningStarters.add(this);
    onTestFinished(() => this.kill());
  }

  /** Gives an order and waits for what comes of it: the event that is named, or a refusal. */
  async order(command: string, event: string): Promise<StarterMessage> {
    const before = this.#messages.length;
    this.child.stdin!.write(`${command}\n`);
    return until(() => {
      const answer = this.#messages.slice(before).find((one) => [event, "refused", "failed"].includes(one.event));
      if (answer?.event === "failed") throw new Error(answer.message);
      return answer;
    });
  }

  start(): Promise<StarterMessage> {
    return this.order("start", "started");
  }

  async heard(event: string, message = ""): Promise<StarterMessage> {
    return until(() => this.#messages.find((one) => one.event === event && (one.message ?? "").includes(message)));
  }

  /** As the kernel does when memory runs out. */
  async kill(): Promise<void> {
    this.child.kill("SIGKILL");
    await this.#exited;
    runningStarters.delete(this);
  }
}

export async function started(folder: string, options: StarterOptions = {}): Promise<Starter & { up: StarterMessage }> {
  const starter = new Starter(folder, options);
  const up = await starter.start();
  if (up.event !== "started") throw new Error(up.message);
  return Object.assign(starter, { up });
}

/** A folder in one that only root may enter. */
export async function closedFolder(): Promise<string> {
  const folder = join(await testFolder(), "closed");
  await mkdir(folder, { mode: 0o700 });
  return folder;
}

function workingFolder(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`).replace(/ \(deleted\)$/, "");
  } catch {
    return "";
  }
}

function isOpenToAll(path: string): boolean {
  const isOpen = existsSync(path) && (statSync(path).mode & 0o005) !== 0;
  return isOpen && (dirname(path) === path || isOpenToAll(dirname(path)));
}
