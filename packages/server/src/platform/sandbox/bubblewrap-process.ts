import { type ChildProcess, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
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
  /** Programs that start the rest of the command line, such as `taskset`. */
  readonly prefix: readonly string[];
  readonly stdin: "ignore" | "pipe";
}

/** Starts a program in bubblewrap. It waits for `begin`, so that the caller can set its priority first. */
export function spawnBubblewrap({ tools, view, argv, env, markers, resourceLimits, prefix, stdin }: SpawnOptions) {
  const { identity, network } = view;
  const prlimit = tools.prlimit === undefined ? [] : [tools.prlimit, ...resourceLimits, "--"];
  const [program, ...args] = [
    ...prefix,
    ...(network === "none" ? emptyNetwork(tools, identity.is) : []),
    ...[tools.bwrap!, "--args", `${pipes.options}`, "--"],
    ...dropRights(tools.setpriv!, identity),
    ...prlimit,
    ...["/bin/sh", startFile, ...argv],
  ];
  const child = spawn(program!, args, {
    cwd: "/",
    // Not the environment of the caller: bubblewrap itself runs with the rights of the service.
    env: { PATH: "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", LANG: "C.UTF-8", ...markers },
    detached: true,
    stdio: [stdin, "pipe", "pipe", "pipe", "pipe", "pipe", "pipe", "pipe", "pipe"],
  });
  const innerPid = readInnerPid(child);
  const begin = () => {
    const { passwd, group } = accounts(identity);
    const isGroupWriting = identity.is === "own-uid" && view.writable.length > 0;
    const start = startScript({ folder: view.startFolder, env, isGroupWriting });
    const write = (pipe: number, text: string | Buffer) =>
      (child.stdio[pipe] as Writable).on("error", () => {}).end(text);
    write(pipes.options, bubblewrapOptions(view).join("\0").concat("\0"));
    write(pipes.start, start);
    write(pipes.passwd, passwd);
    write(pipes.group, group);
    write(pipes.filter, view.filter ?? "");
  };
  return { child, innerPid, begin };
}

/** Wraps bubblewrap, which would bring up a loopback of its own, in an empty network namespace. */
function emptyNetwork({ unshare }: Tools, identity: SandboxView["identity"]["is"]): string[] {
  if (unshare === undefined) throw new Error("a run without any network needs the program 'unshare'");
  return identity === "own-uid" ? [unshare, "--net", "--"] : [unshare, "--user", "--map-current-user", "--net", "--"];
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
