import { execFile } from "node:child_process";
import { closeSync, constants, fchmodSync, fchownSync, openSync, readSync, unlinkSync } from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";
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
  const uses = [...(stdin === "pipe" ? (["input"] as const) : []), "output", "output"] as const;
  const pipes = await takePipes(uses.length, folder);
  const opened: Ends[] = [];
  try {
    for (const [index, pipe] of pipes.entries()) opened.push(openEnds(pipe, uses[index]!, owner));
  } catch (error) {
    for (const one of opened.flatMap(({ read, write }) => [read, write])) closeSync(one);
    throw error;
  } finally {
    for (const pipe of pipes) closeSync(pipe);
  }
  const [err, out, input] = opened.reverse() as [Ends, Ends, Ends?];
  const ours = {
    stdin: input === undefined ? null : new Socket({ fd: input.write, readable: false, writable: true }),
    stdout: new OutputPipe(out.read),
    stderr: new OutputPipe(err.read),
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

/** More than the kernel lets a program have in one by default (`fs.pipe-max-size`), so that nobody who writes on is read for ever. */
const maxPipeBytes = 2 << 20;

/** Our end of a program's output. */
export class OutputPipe extends Socket {
  readonly #fd: number;

  constructor(fd: number) {
    super({ fd, readable: true, writable: false });
    this.#fd = fd;
  }

  /**
   * What was written and not read yet, once no process of the run is left. A program of another run may have been sent the
   * other end through a socket: it would keep this one open, and write, for as long as it likes.
   */
  takeRest(): Buffer {
    this.pause();
    const rest: Buffer[] = [];
    for (let read = this.read() as Buffer | null; read !== null; read = this.read() as Buffer | null) rest.push(read);
    for (let left = maxPipeBytes; left > 0 && !this.destroyed; ) {
      const piece = Buffer.alloc(64 << 10);
      const length = readWritten(this.#fd, piece);
      if (length === 0) break;
      rest.push(piece.subarray(0, length));
      left -= length;
    }
    this.destroy();
    return Buffer.concat(rest);
  }
}

/** Reads what a pipe holds, without waiting for more. */
function readWritten(fd: number, into: Buffer): number {
  try {
    return readSync(fd, into);
  } catch {
    // It is empty: `EAGAIN`.
    return 0;
  }
}

interface Ends {
  readonly read: number;
  readonly write: number;
}

/** Opens each end anew: what a program sets for its own, such as not to wait, does not hold for ours. */
function openEnds(pipe: number, use: "input" | "output", owner: StreamOptions["owner"]): Ends {
  const path = `/proc/self/fd/${pipe}`;
  const opened: number[] = [];
  const open = (flags: number) => opened[opened.push(openSync(path, flags)) - 1]!;
  try {
    const ends = { read: open(constants.O_RDONLY), write: open(constants.O_WRONLY) };
    // Who opened its input by name, after all was written, would wait for ever.
    if (use === "input") fchmodSync(pipe, 0);
    else if (owner !== undefined) fchownSync(pipe, owner.uid, owner.gid);
    return ends;
  } catch (error) {
    for (const one of opened) closeSync(one);
    throw error;
  }
}

/** Pipes that wait for their use: open, and without a name. Node cannot make any, and a start of `mkfifo` takes 11 ms. */
const stock: number[] = [];
const batch = 16;
let making: Promise<void> | undefined;

async function takePipes(count: number, folder: string): Promise<number[]> {
  while (stock.length < count) {
    making ??= makePipes(folder).finally(() => {
      making = undefined;
    });
    await making;
  }
  return stock.splice(0, count);
}

async function makePipes(folder: string): Promise<void> {
  const paths = Array.from({ length: batch }, (_, index) => join(folder, `pipe-${index}`));
  await run("mkfifo", ["-m", "600", "--", ...paths], { cwd: "/" });
  for (const path of paths) {
    // For both ends at once, because opening one would wait for the other.
    stock.push(openSync(path, constants.O_RDWR));
    unlinkSync(path);
  }
}
