import type { ChildProcess } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { spawnProgram } from "../process/index.ts";
import { accounts, bubblewrapOptions, dropRights, pipes, type SandboxView, startFile } from "./bubblewrap.ts";
import { startScript } from "./start-script.ts";

/** Paths of the system programs that the sandbox uses; it does without those that are missing. */
export interface Tools {
  readonly bwrap?: string;
  readonly setpriv?: string;
  readonly prlimit?: string;
  readonly taskset?: string;
  readonly unshare?: string;
}

interface SpawnOptions {
  readonly tools: Tools;
  readonly view: SandboxView;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Put into the environment of every process, bubblewrap included. */
  readonly markers: Readonly<Record<string, string>>;
  readonly resourceLimits: readonly string[];
  /** Of System V, which the watch sees only while somebody has attached it. */
  readonly sharedMemoryBytes: number;
  /** Programs that start the rest of the command line, such as `taskset`. */
  readonly prefix: readonly string[];
  /** Of its standard streams. */
  readonly stdio: readonly ("ignore" | "pipe" | number)[];
}

/** Starts a program in bubblewrap. It waits for `begin`, so that the caller can set its priority first. */
export function spawnBubblewrap({ tools, view, argv, env, markers, prefix, stdio, ...limits }: SpawnOptions) {
  const { identity } = view;
  const prlimit = tools.prlimit === undefined ? [] : [tools.prlimit, ...limits.resourceLimits, "--"];
  const [program, ...args] = [
    ...prefix,
    ...ownNamespaces(tools, view, limits.sharedMemoryBytes),
    ...[tools.bwrap!, "--args", `${pipes.options}`, "--"],
    ...dropRights(tools.setpriv!, identity),
    ...prlimit,
    ...["/bin/sh", startFile, ...argv],
  ];
  const child = spawnProgram(program!, args, {
    cwd: "/",
    // Not the environment of the caller: bubblewrap itself runs with the rights of the service.
    env: { PATH: "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", LANG: "C.UTF-8", ...markers },
    detached: true,
    stdio: [...stdio, "pipe", "pipe", "pipe", "pipe", "pipe", "pipe"],
  });
  const innerPid = readInnerPid(child);
  const begin = () => {
    const { passwd, group } = accounts(identity);
    const isGroupWriting = identity.is === "own-uid" && view.writable.length > 0;
    const start = startScript({ folder: view.startFolder, env, isGroupWriting });
    const write = (pipe: number, text: string | Buffer) =>
      (child.stdio[pipe] as Writable).on("error", () => {}).end(text);
    const hasOwnIpc = canLimitIpc(tools, view);
    write(pipes.options, bubblewrapOptions(view, { hasOwnIpc }).join("\0").concat("\0"));
    write(pipes.start, start);
    write(pipes.passwd, passwd);
    write(pipes.group, group);
    write(pipes.filter, view.filter ?? "");
  };
  return { child, innerPid, begin };
}

/**
 * Namespaces that are made before bubblewrap starts: an empty network, because bubblewrap's own has a loopback, and
 * System V's objects, because only root can limit these, and inside of bubblewrap nobody is.
 */
function ownNamespaces(tools: Tools, view: SandboxView, sharedMemoryBytes: number): string[] {
  const { unshare } = tools;
  const { identity, network } = view;
  const net = network === "none" ? ["--net"] : [];
  if (unshare === undefined && network === "none")
    throw new Error("a run without any network needs the program 'unshare'");
  if (canLimitIpc(tools, view))
    return [unshare!, "--ipc", ...net, "--", "/bin/sh", "-c", limitIpc(sharedMemoryBytes), "sh"];
  if (network !== "none") return [];
  return identity.is === "own-uid"
    ? [unshare!, ...net, "--"]
    : [unshare!, "--user", "--map-current-user", ...net, "--"];
}

function canLimitIpc({ unshare }: Tools, { identity }: SandboxView): boolean {
  return unshare !== undefined && identity.is === "own-uid";
}

/**
 * A script that limits the objects of its namespace, and executes its arguments. By default they may take all memory, and
 * belong to no process. Where the settings cannot be written, such as in some containers, it goes on without.
 */
function limitIpc(sharedMemoryBytes: number): string {
  const settings = [
    `echo $((${Math.round(sharedMemoryBytes)} / $(getconf PAGESIZE || echo 4096))) > /proc/sys/kernel/shmall`,
    // Queues of 16 KB.
    "echo 1024 > /proc/sys/kernel/msgmni",
    // Semaphores of a set, of all sets, of an operation; sets.
    "echo 1000 32000 500 1024 > /proc/sys/kernel/sem",
  ];
  return `{ ${settings.join("; ")}; } 2> /dev/null; exec "$@"`;
}

/** The process id, outside the namespace, of the first process inside it; undefined if it never started. */
function readInnerPid(child: ChildProcess): Promise<number | undefined> {
  const status = child.stdio[pipes.status] as Readable;
  return new Promise((resolve) => {
    let text = "";
    status
      .setEncoding("utf8")
      .on("data", (part: string) => {
        text += part;
        const found = /"child-pid"\s*:\s*(\d+)/.exec(text);
        if (found !== null) resolve(Number(found[1]));
      })
      .on("error", () => resolve(undefined))
      .on("close", () => resolve(undefined));
  });
}
