import { chown, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { clientConfig, type SocketConnection } from "../client-config.ts";
import { DatabaseRefusal } from "../database-refusal.ts";
import type { Log } from "../log.ts";
import type { Binaries } from "./binaries.ts";
import type { DatabaseLocation } from "./database-location.ts";
import { explainOutput, isFolderTaken } from "./explain-failure.ts";
import { superuser } from "./initialise.ts";
import { ownFolder } from "./own-folder.ts";
import { isStillRunning, type PostmasterFile, readPostmasterFile, removeStaleLock } from "./postmaster-file.ts";
import { letRun, type Program, runProgram } from "./run-program.ts";
import { configurationFile, fixedArguments, port } from "./settings.ts";
import { socketFolder } from "./socket-folder.ts";

/** A Postgres that answers: one that we started, or one that was running. */
export interface Postmaster {
  readonly pid: number;
  readonly connection: SocketConnection;
  readonly wasAdopted: boolean;
  /** Resolves when its process has ended. */
  readonly gone: Promise<void>;
  isRunning(): boolean;
}

export interface PostmasterPlan {
  readonly binaries: Binaries;
  readonly location: DatabaseLocation;
  readonly settings: Readonly<Record<string, string>>;
  readonly log: Log;
}

const pollMs = 10;
/** How long a Postgres that we did not start may take to die after a kill, to answer, or to be replaced. */
const patienceMs = 10_000;
/** Other systems than Linux start a program for each check. */
const watchMs = process.platform === "linux" ? 100 : 1_000;

/** Adopts the Postgres that runs on these files, or starts one. Of several starters, one starts it and the others adopt it. */
export async function bringUp(plan: PostmasterPlan): Promise<Postmaster> {
  const lockFile = join(plan.location.data, "postmaster.pid");
  for (let deadline = Date.now() + patienceMs; ; await delay(5 * pollMs)) {
    const running = await findRunning(lockFile);
    if (running) {
      const adopted = await adopt(running, lockFile);
      if (adopted) return adopted;
      deadline = Date.now() + patienceMs;
      continue;
    }
    const outcome = await launch(plan, lockFile);
    if (typeof outcome !== "string") return outcome;
    // In use, although nobody answers: the processes and the lock of a dead Postgres stay for a moment.
    if (Date.now() > deadline) throw explainOutput(outcome, plan.location.home);
  }
}

async function findRunning(lockFile: string): Promise<PostmasterFile | undefined> {
  const found = await readPostmasterFile(lockFile);
  return found && isStillRunning(found) ? found : undefined;
}

/** Waits until a running Postgres answers; undefined if it ended instead. */
async function adopt(running: PostmasterFile, lockFile: string): Promise<Postmaster | undefined> {
  const { pid } = running;
  for (const deadline = Date.now() + patienceMs; isStillRunning(running); await delay(pollMs)) {
    const current = await readPostmasterFile(lockFile);
    if (current?.pid !== pid) continue;
    const connection = connectionOver(current.sockets);
    if (current.status === "ready" && (await answers(connection))) {
      return { pid, connection, wasAdopted: true, gone: watch(running), isRunning: () => isStillRunning(running) };
    }
    // While it starts or stops, it may have a large log to replay; only a ready one must answer.
    if (current.status === "ready" && Date.now() > deadline) throw notAnswering(running);
  }
  return undefined;
}

/** Starts Postgres and waits until it answers; returns its output if the folder is in use. */
async function launch(plan: PostmasterPlan, lockFile: string): Promise<Postmaster | string> {
  const { location, binaries } = plan;
  const sockets = await socketFolder(location);
  await removeStaleLock(lockFile);
  await removeStaleLock(join(sockets, `.s.PGSQL.${port}.lock`));
  await ownFolder(location.logs, location.user);
  await removeOldLogs(location.logs);
  const configuration = await writeConfiguration(plan);
  const program = runProgram(
    binaries.postgres,
    fixedArguments({ data: location.data, configuration, sockets }),
    location,
  );
  if (await isReady(program, lockFile, plan.log)) return started(program, connectionOver(sockets));
  await program.closed;
  const output = `${program.output()}${await lastLogLines(location.logs)}`;
  if (isFolderTaken(program.output())) return output;
  throw explainOutput(output, location.home);
}

function started(program: Program, connection: SocketConnection): Postmaster {
  const { child, ended } = program;
  letRun(program);
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  return { pid: child.pid!, connection, wasAdopted: false, gone: ended, isRunning };
}

/** Waits until Postgres is ready or has ended. */
async function isReady(program: Program, lockFile: string, log: Log): Promise<boolean> {
  const impatience = setTimeout(
    () => log.warn({}, "The database was not stopped cleanly and replays its log; this can take a while."),
    5_000,
  );
  let hasEnded = false;
  const ended = program.ended.finally(() => {
    hasEnded = true;
  });
  try {
    while (!hasEnded) {
      const found = await readPostmasterFile(lockFile);
      if (found?.pid === program.child.pid && found?.status === "ready") return true;
      await Promise.race([delay(pollMs), ended]);
    }
    return false;
  } finally {
    clearTimeout(impatience);
  }
}

function connectionOver(sockets: string): SocketConnection {
  return { host: sockets, port, user: superuser, database: "postgres" };
}

async function answers(connection: SocketConnection): Promise<boolean> {
  const client = new pg.Client(clientConfig(connection));
  client.on("error", () => undefined);
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    void client.end().catch(() => undefined);
  }
}

/** Polls, because the system reports only the end of child processes. */
async function watch(running: PostmasterFile): Promise<void> {
  while (isStillRunning(running)) await delay(watchMs, undefined, { ref: false });
}

function notAnswering({ pid, data }: PostmasterFile): DatabaseRefusal {
  return new DatabaseRefusal(
    "postgres_failed",
    `A Postgres (process ${pid}) runs on ${data} and does not answer. End it with "kill -INT ${pid}" and start again.`,
  );
}

/** Renames the finished file into place, because another starter may be reading it. */
async function writeConfiguration({ location, settings }: PostmasterPlan): Promise<string> {
  const path = join(location.home, "postgresql.conf");
  const unfinished = `${path}.${process.pid}`;
  await writeFile(unfinished, configurationFile(location, settings), { mode: 0o600 });
  await chown(unfinished, location.user.uid, location.user.gid);
  await rename(unfinished, path);
  return path;
}

/** Postgres empties a file when its weekday comes again, but only if it runs at midnight. */
async function removeOldLogs(logs: string): Promise<void> {
  for (const name of await readdir(logs)) {
    const path = join(logs, name);
    const { size, mtimeMs } = await stat(path);
    if (size > 10_000_000 || Date.now() - mtimeMs > 6 * 86_400_000) await rm(path, { force: true });
  }
}

async function lastLogLines(logs: string): Promise<string> {
  const today = new Date().toLocaleDateString("en", { weekday: "short", timeZone: "UTC" });
  const text = await readFile(join(logs, `postgres-${today}.log`), "utf8").catch(() => "");
  return text.split("\n").slice(-6).join("\n");
}
