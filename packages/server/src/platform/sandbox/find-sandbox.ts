import { access, constants, readFile, rm } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { delimiter, join } from "node:path";
import { text } from "node:stream/consumers";
import type { TemporaryFolders } from "../temporary-folders.ts";
import type { Identity, SandboxView } from "./bubblewrap.ts";
import { spawnBubblewrap, type Tools } from "./bubblewrap-process.ts";
import { minCoresToShare } from "./cores.ts";
import { chownFolder } from "./give-folder.ts";
import { forbidMetadata, nameServersIn } from "./metadata-addresses.ts";
import { findUidRange, type UidRange } from "./own-uid.ts";
import type { Network } from "./process-options.ts";
import { systemCallFilter } from "./system-call-filter.ts";
import { findVisibleFiles, type VisibleFile } from "./visible-files.ts";

export type SandboxMode = "auto" | "bubblewrap" | "none";

/** How this machine can sandbox processes. */
export type FoundSandbox = {
  /** What is isolated, what is not, and why: for the log and for `slipway doctor`. */
  readonly reasons: readonly string[];
  readonly tools: Tools;
  /** The folder of Node, for PATH. */
  readonly nodeFolder: string;
} & ({ readonly kind: "plain" } | ({ readonly kind: "bubblewrap" } & BubblewrapSupport));

interface BubblewrapSupport {
  readonly identity: "own-uid" | "user-namespace";
  readonly uids?: UidRange;
  readonly visible: readonly VisibleFile[];
  readonly networks: readonly Network[];
  /** Which system calls the kernel refuses; undefined where it cannot be told. */
  readonly filter: Buffer | undefined;
}

export interface FindOptions {
  readonly mode?: SandboxMode;
  /** A cgroup that the operator delegated to the service. */
  readonly cgroupFolder?: string;
  /** Where it is tried out. */
  readonly temporary: TemporaryFolders;
}

/** Tries out how this machine can sandbox processes; throws when the operator asked for bubblewrap and it does not work. */
export async function findSandbox({ mode = "auto", cgroupFolder, temporary }: FindOptions): Promise<FoundSandbox> {
  const tools = await findTools();
  const { visible, nodeFolder } = await findVisibleFiles();
  const common = [...describeTools(tools), ...(await describeCgroup(cgroupFolder))];
  const plain = (why: string): FoundSandbox => ({
    kind: "plain",
    reasons: [why, ...plainWeaknesses(), ...common],
    tools,
    nodeFolder,
  });
  if (mode === "none") return plain("the operator has set sandbox: none");
  const found = await tryBubblewrap(tools, visible, temporary);
  if (typeof found !== "string") {
    return { ...found, kind: "bubblewrap", reasons: [...found.reasons, ...common], tools, visible, nodeFolder };
  }
  if (mode === "bubblewrap") throw new Error(`sandbox: bubblewrap was asked for, but ${found}`);
  return plain(found);
}

type TriedBubblewrap = Pick<BubblewrapSupport, "identity" | "uids" | "networks" | "filter"> & {
  readonly reasons: string[];
};

/** What bubblewrap can do on this machine, or why it cannot be used. */
async function tryBubblewrap(
  tools: Tools,
  visible: readonly VisibleFile[],
  temporary: TemporaryFolders,
): Promise<TriedBubblewrap | string> {
  if (process.platform !== "linux") return "bubblewrap is for Linux only";
  if (tools.bwrap === undefined) return "bubblewrap (bwrap) is not installed";
  const isRoot = process.geteuid?.() === 0;
  if (isRoot && tools.setpriv === undefined) return "run by root, bubblewrap needs the program 'setpriv' (util-linux)";
  const uids = isRoot ? findUidRange(await readFile("/proc/self/uid_map", "utf8")) : undefined;
  if (isRoot && uids === undefined) return "this container maps too few users to give a run one of its own";
  const identity: Identity =
    uids === undefined ? { is: "user-namespace" } : { is: "own-uid", uid: uids.first + 1, gid: uids.first };
  const attempt = (network: Network, filter: Buffer | undefined) =>
    tryOnce(tools, { visible, identity, network, filter }, temporary);
  // A machine that is short of memory or processes for a moment must not lose its sandbox until the next start.
  const problem = (await attempt("all", undefined)) && (await attempt("all", undefined));
  if (problem !== undefined) return `bubblewrap does not work here: ${problem}`;
  const wanted = systemCallFilter(process.arch);
  const noFilter = wanted === undefined ? `there is none for ${process.arch}` : await attempt("all", wanted);
  const filter = noFilter === undefined ? wanted : undefined;
  const reasons = [
    uids === undefined
      ? "bubblewrap works; runs stay our own user, in a user namespace"
      : `bubblewrap works; each run is a user of its own (${uids.first} and above)`,
  ];
  reasons.push(
    noFilter === undefined
      ? "a filter refuses system calls that make namespaces and mounts or reach into the kernel"
      : `system calls are not filtered, so that runs can make user namespaces: ${noFilter}`,
  );
  const networks: Network[] = ["all"];
  for (const network of ["loopback", "none"] as const) {
    const why = await attempt(network, filter);
    if (why === undefined) networks.push(network);
    else reasons.push(`network '${network}' cannot be had here, such runs are refused: ${why}`);
  }
  const open = uids === undefined ? "only root can forbid them" : await forbidMetadata(uids, await findNameServers());
  reasons.push(
    open === undefined
      ? "metadata addresses are forbidden to every run"
      : `metadata addresses can be reached by runs with network 'all': ${open}`,
  );
  return { identity: identity.is, networks, reasons, filter, ...(uids !== undefined && { uids }) };
}

/** Runs an empty script in the sandbox; returns why that failed, or undefined. */
async function tryOnce(
  tools: Tools,
  tried: Pick<SandboxView, "visible" | "identity" | "network" | "filter">,
  temporary: TemporaryFolders,
) {
  const { identity } = tried;
  const folder = await temporary.make("try");
  try {
    if (identity.is === "own-uid") await chownFolder(folder, identity.uid, identity.gid);
    const view: SandboxView = {
      ...{ ...tried, folder, startFolder: folder },
      ...{ readable: [], writable: [], hidden: undefined, temporary: folder, home: folder },
    };
    const { child, begin } = spawnBubblewrap({
      ...{ tools, view, argv: ["/bin/sh", "-c", "exit 0"], env: {}, markers: {} },
      ...{ resourceLimits: ["--core=0"], sharedMemoryBytes: 1 << 20, prefix: [], stdio: ["ignore", "pipe", "pipe"] },
    });
    const exitCode = new Promise<number | null>((resolve, reject) => child.on("error", reject).on("close", resolve));
    const stderr = text(child.stderr!);
    child.stdout!.resume();
    begin();
    if ((await exitCode) === 0) return undefined;
    return (await stderr).trim().split("\n").at(-1) || `it ended with ${await exitCode}`;
  } catch (error) {
    return (error as Error).message;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function findNameServers(): Promise<string[]> {
  return nameServersIn(await readFile("/etc/resolv.conf", "utf8").catch(() => ""));
}

async function findTools(): Promise<Tools> {
  const names = ["bwrap", "setpriv", "prlimit", "taskset", "unshare"] as const;
  const found = await Promise.all(names.map(async (name) => [name, await findProgram(name)] as const));
  return Object.fromEntries(found.filter(([, path]) => path !== undefined));
}

async function findProgram(name: string): Promise<string | undefined> {
  // System folders first: these programs run with the rights of the service.
  const folders = ["/usr/bin", "/bin", "/usr/sbin", "/sbin", ...(process.env["PATH"] ?? "").split(delimiter)];
  for (const folder of folders) {
    const path = join(folder, name);
    const isThere = await access(path, constants.X_OK).then(
      () => folder.startsWith("/"),
      () => false,
    );
    if (isThere) return path;
  }
  return undefined;
}

function describeTools({ prlimit, taskset }: Tools): string[] {
  const reasons: string[] = [];
  if (prlimit === undefined)
    reasons.push("without 'prlimit' (util-linux) the kernel sets no limits to single processes");
  if (taskset === undefined) reasons.push("without 'taskset' (util-linux) cores are not limited");
  else if (process.platform === "linux" && availableParallelism() < minCoresToShare)
    reasons.push(
      `with fewer than ${minCoresToShare} cores the service has none of its own: a program that may use all of them can hold it up by thousands of processes`,
    );
  return reasons;
}

/** The watch enforces limits on plain processes too, but nothing isolates them from the files of the service. */
function plainWeaknesses(): string[] {
  const reasons = ["plain processes can read and change all files that the service can, and use its network"];
  reasons.push(
    "the kernel does not bound how many processes a run starts: only the watch does, which a fork bomb delays",
  );
  if (process.platform !== "linux")
    reasons.push(
      "without /proc, memory, processes and inactivity are not watched, and only a run's process group is ended",
    );
  return reasons;
}

async function describeCgroup(folder: string | undefined): Promise<string[]> {
  if (folder === undefined) return [];
  try {
    const controllers = await readFile(join(folder, "cgroup.controllers"), "utf8");
    await access(folder, constants.W_OK);
    return [`the cgroup ${folder} is ours (${controllers.trim() || "no controllers"}); runs are watched all the same`];
  } catch (error) {
    return [`the cgroup ${folder} cannot be used: ${(error as Error).message}`];
  }
}
