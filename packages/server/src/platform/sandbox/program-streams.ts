import { execFile } from "node:child_process";
import { closeSync, constants, fchmodSync, fchownSync, openSync, unlinkSync } from "node:fs";
import { Socket } from "node:net";
import { basename, join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { promisify } from "node:util";

/** What a program reads and writes. */
export interface ProgramStreams {
  /** For `spawn`. */
  readonly stdio: readonly ["ignore" | number, number, number];
  readonly stdin: Writable | null;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Closes what the program was given, once it has it. */
  readonly handOver: () => void;
  /** Closes everything, when there will be no program. */
  readonly discard: () => void;
}

interface StreamOptions {
  /** Of the service alone. */
  readonly folder: string;
  readonly stdin: "ignore" | "pipe";
  /** Who may open `/dev/stdout` and `/dev/stderr` by name. */
  readonly owner: { readonly uid: number; readonly gid: number } | undefined;
}

const run = promisify(execFile);

/**
 * Pipes for a program's streams. Those that Node makes are sockets, through which a program can send open files. The
 * kernel closes these in the thread of who reads: a connection that lingers, or a deleted file of many gigabytes, would
 * hold up the whole service. Undefined where Node's have to do.
 */
export async function openStreams({ folder, stdin, owner }: StreamOptions): Promise<ProgramStreams | undefined> {
  if (process.platform !== "linux") return undefined;
  const names = [...(stdin === "pipe" ? ["stdin"] : []), "stdout", "stderr"];
  const paths = names.map((name) => join(folder, name));
  await run("mkfifo", ["-m", "600", "--", ...paths], { cwd: "/" });
  const opened: Ends[] = [];
  try {
    for (const path of paths) opened.push(openEnds(path, owner));
  } catch (error) {
    for (const one of opened.flatMap(({ read, write }) => [read, write])) closeSync(one);
    throw error;
  }
  const [err, out, input] = opened.reverse() as [Ends, Ends, Ends?];
  const ours = {
    stdin: input === undefined ? null : new Socket({ fd: input.write, readable: false, writable: true }),
    stdout: new Socket({ fd: out.read, readable: true, writable: false }),
    stderr: new Socket({ fd: err.read, readable: true, writable: false }),
  };
  const stdio = [input?.read ?? "ignore", out.write, err.write] as const;
  const handOver = () => {
    for (const one of stdio) if (one !== "ignore") closeSync(one);
  };
  const discard = () => {
    for (const one of Object.values(ours)) one?.destroy();
  };
  return { ...ours, stdio, handOver, discard };
}

interface Ends {
  readonly read: number;
  readonly write: number;
}

/** Never waits, because both ends are open meanwhile. */
function openEnds(path: string, owner: StreamOptions["owner"]): Ends {
  const opened: number[] = [];
  const open = (flags: number) => opened[opened.push(openSync(path, flags)) - 1]!;
  try {
    const both = open(constants.O_RDWR);
    const ends = { read: open(constants.O_RDONLY), write: open(constants.O_WRONLY) };
    // Who opened its input by name, after all was written, would wait for ever.
    if (basename(path) === "stdin") fchmodSync(both, 0);
    else if (owner !== undefined) fchownSync(both, owner.uid, owner.gid);
    unlinkSync(path);
    closeSync(both);
    return ends;
  } catch (error) {
    for (const one of opened) closeSync(one);
    throw error;
  }
}
