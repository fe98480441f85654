import { type ChildProcess, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { accounts, bubblewrapOptions, dropRights, pipes, startFile, type View } from "./bubblewrap.ts";
import { startScript } from "./start-script.ts";

/** Programs of the system that contain others, by their path; what is missing is not used. */
export interface Tools {
  readonly bwrap?: string;
  readonly setpriv?: string;
  readonly prlimit?: string;
  readonly taskset?: string;
  readonly unshare?: string;
}

interface ToStart {
  readonly tools: Tools;
  readonly view: View;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** In the environment of everything, bubblewrap included. */
  readonly markers: Readonly<Record<string, string>>;
  readonly resourceLimits: readonly string[];
  /** Programs that start the next one, such as `taskset`. */
  readonly prefix: readonly string[];
  readonly stdin: "ignore" | "pipe";
}

/** Starts a program in bubblewrap. It waits for `begin`, so that everything about it can be set before. */
export function spawnBubblewrap({ tools, view, argv, env, markers, resourceLimits, prefix, stdin }: ToStart) {
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
    // Not what callers gave: this one runs with our rights.
    env: { PATH: "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", LANG: "C.UTF-8", ...markers },
    detached: true,
    stdio: [stdin, "pipe", "pipe", "pipe", "pipe", "pipe", "pipe", "pipe"],
  });
  const innerPid = readInnerPid(child);
  const begin = () => {
    const { passwd, group } = accounts(identity);
    const isGroupWriting = identity.is === "own-uid" && view.writable.length > 0;
    const start = startScript({ folder: view.folder, env, isGroupWriting });
    const hand = (pipe: number, text: string) => (child.stdio[pipe] as Writable).on("error", () => {}).end(text);
    hand(pipes.options, bubblewrapOptions(view).join("\0").concat("\0"));
    hand(pipes.start, start);
    hand(pipes.passwd, passwd);
    hand(pipes.group, group);
  };
  return { child, innerPid, begin };
}

/** A network without even a loopback, around bubblewrap, which would bring one up. */
function emptyNetwork({ unshare }: Tools, identity: View["identity"]["is"]): string[] {
  if (unshare === undefined) throw new Error("a run without any network needs the program 'unshare'");
  return identity === "own-uid" ? [unshare, "--net", "--"] : [unshare, "--user", "--map-current-user", "--net", "--"];
}

/** The number, out here, of the process that is the first one in there; nothing if it never came to be. */
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
