import type { ChildProcess } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { availableParallelism, getPriority, setPriority, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { spawnProgram } from "../process/index.ts";
import { removeFolder } from "../remove-folder.ts";
import { TemporaryFolders } from "../temporary-folders.ts";
import { homeInside, type Identity } from "./bubblewrap.ts";
import { spawnBubblewrap } from "./bubblewrap-process.ts";
import { coresForRuns, coresOf } from "./cores.ts";
import { DiskWatch } from "./disk-watch.ts";
import { type FindOptions, type FoundSandbox, findSandbox } from "./find-sandbox.ts";
import { DiskMeter } from "./folder-size.ts";
import { chownFolder, giveFolder, shareFolder } from "./give-folder.ts";
import { keepFromClimbing } from "./keep-from-climbing.ts";
import { OwnUids } from "./own-uid.ts";
import type { HeldAccount, ProcessLimits, ProcessOptions, RunAccount } from "./process-options.ts";
import { readStat } from "./process-stat.ts";
import { homeMarker, ProcessTable, runMarker } from "./process-table.ts";
import { ProcessTree } from "./process-tree.ts";
import { openStreams, type ProgramStreams } from "./program-streams.ts";
import { type CommandEnd, type CommandLimits, type CommandToRun, RunningCommand, runCommand } from "./run-command.ts";
import { findOldRunFolders, makeRunFolders, type RunFolders, removeRunFolders } from "./run-folders.ts";
import { isOfAnother, ownName } from "./run-owner.ts";
import { RunsTogether } from "./runs-together.ts";
import { SandboxedProcess } from "./sandboxed-process.ts";
import { SharedSizes } from "./shared-sizes.ts";
import { argumentsOf, checkEnvironment, resourceLimits } from "./start-script.ts";
import { sweepOrphans } from "./sweep-orphans.ts";

interface SandboxOptions {
  readonly found: FoundSandbox;
  /** Identifies the installation that a run belongs to. */
  readonly dataFolder: string;
  /** Where runs have their temporary files. */
  readonly temporaryFolder?: string;
  /** Which part of the installation starts the runs: another part's sweep leaves them alone. */
  readonly part?: string;
  readonly isUncontainedOnPurpose?: boolean;
}

/** Finds out how this machine can sandbox processes, and creates the sandbox. */
export async function createSandbox({
  mode,
  cgroupFolder,
  ...options
}: Omit<FindOptions, "temporary"> & Omit<SandboxOptions, "found">) {
  const temporary = new TemporaryFolders({ dataFolder: options.dataFolder });
  const found = await findSandbox({ ...(mode && { mode }), ...(cgroupFolder && { cgroupFolder }), temporary });
  return new Sandbox({ found, isUncontainedOnPurpose: mode === "none", ...options });
}

type RunOptions = ProcessOptions & { readonly together: RunsTogether };

interface PreparedRun {
  readonly folder: string;
  readonly own: RunFolders;
  readonly identity: Identity;
  /** Of the program that is to start; Node makes them where we do not. */
  readonly streams: ProgramStreams | undefined;
}

/** Starts sandboxed processes, in the way that `findSandbox` found for this machine. */
export class Sandbox {
  readonly found: FoundSandbox;
  /** The operator turned the sandbox off. */
  readonly isUncontainedOnPurpose: boolean;
  /** For what the service itself needs beside the runs. */
  readonly temporary: TemporaryFolders;
  readonly #dataFolder: string;
  readonly #installation: string;
  readonly #temporaryFolder: string;
  readonly #table = new ProcessTable();
  readonly #uids: OwnUids | undefined;
  readonly #live = new Set<string>();
  readonly #sharedSizes = new SharedSizes();
  #nextCore = 0;

  constructor({ found, dataFolder, part = "", temporaryFolder = tmpdir(), ...options }: SandboxOptions) {
    this.found = found;
    this.isUncontainedOnPurpose = options.isUncontainedOnPurpose ?? false;
    this.#dataFolder = resolve(dataFolder);
    const installation = part === "" ? this.#dataFolder : `${this.#dataFolder}\0${part}`;
    this.#installation = createHash("sha256").update(installation).digest("hex").slice(0, 16);
    this.#temporaryFolder = temporaryFolder;
    this.temporary = new TemporaryFolders({ dataFolder, where: temporaryFolder });
    if (found.kind === "bubblewrap" && found.uids !== undefined) this.#uids = new OwnUids(found.uids);
  }

  /** Starts a sandboxed process; throws when it cannot be started at all. */
  async startProcess(options: ProcessOptions): Promise<SandboxedProcess> {
    const { runId, limits, graceMs = 2_000, onOutputLimit = "kill", signal, isHeldUp } = options;
    const { together = new RunsTogether() } = options;
    checkEnvironment(options.env ?? {});
    if (!/^[\w.-]{1,64}$/.test(runId)) throw new Error(`'${runId}' is not a valid run id`);
    if (this.#live.has(runId)) throw new Error(`the run '${runId}' is already in flight`);
    this.#live.add(runId);
    const owner = this.#uids && { uid: uidFor(this.#uids, options.account), gid: this.#uids.gid };
    let own: RunFolders | undefined;
    let streams: ProgramStreams | undefined;
    let started: ChildProcess | undefined;
    let disk: DiskWatch | undefined;
    const leave = async () => {
      disk?.end();
      if (own !== undefined) await removeRunFolders(own);
      if (owner !== undefined) this.#uids!.release(owner.uid);
      this.#live.delete(runId);
    };
    try {
      const given = options.folder === undefined ? undefined : await realpath(options.folder);
      own = makeRunFolders(this.#temporaryFolder, { installation: this.#installation, runId, owner });
      const folder = given ?? own.home;
      const shared = await realPaths(options.writable ?? []);
      // What an account's earlier runs have left counts: otherwise each run could add as much again.
      const kept = options.account?.isReader ? [] : await realPaths(options.account?.folders ?? []);
      const identity: Identity = owner === undefined ? { is: "user-namespace" } : { is: "own-uid", ...owner };
      // Not looked at before the program starts, of which the tree is.
      const openFiles = () => tree.unnamedFiles();
      const toMeasure = { folders: [folder, own.folder, ...kept], shared, sharedSizes: this.#sharedSizes, openFiles };
      disk = new DiskWatch(new DiskMeter(toMeasure), limits.diskBytes);
      await disk.begin(signal);
      streams = await openStreams({ folder: own.folder, stdin: options.stdin ?? "ignore", owner });
      const { child, innerPid } = await this.#spawn({ ...options, together }, { folder, own, identity, streams });
      started = child;
      const isConfined = this.found.kind !== "plain";
      const tree = new ProcessTree(this.#table, { runId, root: child.pid!, together, isConfined });
      const noteInit = (pid: number | undefined) => {
        const first = pid === undefined ? undefined : readStat(pid);
        if (first !== undefined) tree.namespaceInit = first;
      };
      // Without a file left to open, nobody can tell who it is: the run cannot be watched.
      innerPid.then(noteInit).catch(() => endGroup(child));
      const cleanUp = () => {
        tree.forget();
        return leave();
      };
      return new SandboxedProcess({
        ...{ child, streams: streams ?? nodeStreams(child), tree, limits, disk },
        ...{ onOutputLimit, graceMs, signal, isHeldUp, cleanUp },
      });
    } catch (error) {
      if (started !== undefined) endGroup(started);
      streams?.discard();
      await leave();
      throw error;
    }
  }

  /** Runs a command until it ends or breaks a limit, on a network of its own. */
  runCommand(toRun: CommandToRun, limits: CommandLimits): Promise<CommandEnd> {
    return runCommand(this, toRun, limits);
  }

  /** Starts a command on the host's network, so that the service can reach it. */
  startCommand(toRun: CommandToRun, limits: ProcessLimits): RunningCommand {
    return new RunningCommand(this, toRun, limits);
  }

  /** The user whose files the runs of an account change, for one that is contained in another way. */
  async holdAccount(account: RunAccount): Promise<HeldAccount> {
    const uids = this.#uids;
    if (uids === undefined) return { uid: process.getuid!(), gid: process.getgid!(), release: () => undefined };
    const uid = uids.share(account.name);
    for (const folder of await realPaths(account.folders)) await giveFolder(folder, uid, uids.gid);
    return { uid, gid: uids.gid, release: () => uids.release(uid) };
  }

  /**
   * At the start of the service: ends the processes that an earlier service left, and begins to remove its temporary files.
   * A program may have left a million of them, so nobody has to wait for that; it never fails.
   */
  async sweepOrphans(): Promise<{ readonly removal: Promise<void> }> {
    const isLive = (runId: string, owner: string) => this.#live.has(runId) || isOfAnother(owner);
    await sweepOrphans({ installation: this.#installation, isLive });
    const old = await findOldRunFolders(this.#temporaryFolder, this.#installation, isLive);
    return { removal: removeAll([...old, ...(await this.temporary.findLeft())]) };
  }

  /** Ends the processes that an earlier service left of the runs whose ids begin with this prefix. */
  async endOrphans(runIdPrefix: string): Promise<void> {
    const isLive = (runId: string) => !runId.startsWith(runIdPrefix) || this.#live.has(runId);
    await sweepOrphans({ installation: this.#installation, isLive });
  }

  async #spawn(options: RunOptions, run: PreparedRun) {
    try {
      return await (this.found.kind === "plain" ? this.#spawnPlain(options, run) : this.#spawnSandboxed(options, run));
    } finally {
      run.streams?.handOver();
    }
  }

  async #spawnPlain(
    { runId, command, limits, env, startsIn = ".", stdin = "ignore", signal, together }: RunOptions,
    { folder, own, streams }: PreparedRun,
  ) {
    const { tools, nodeFolder } = this.found;
    const cwd = join(folder, startsIn);
    const PATH = `${nodeFolder}:${process.env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"}`;
    const base = { PATH, HOME: own.home, LANG: "C.UTF-8", TMPDIR: own.temporary, ...(await keepFromClimbing(cwd)) };
    const asked = resourceLimits(limits, { hasOwnUid: false });
    const prlimit = tools.prlimit === undefined ? [] : [tools.prlimit, ...asked, "--"];
    const [program, ...args] = [...this.#pinToCores(limits, together), ...prlimit, ...argumentsOf(command)];
    signal?.throwIfAborted();
    const child = spawnProgram(program!, args, {
      cwd,
      env: { ...base, ...env, ...this.#markers(runId) },
      detached: true,
      stdio: [...(streams?.stdio ?? ([stdin, "pipe", "pipe"] as const))],
    });
    await untilStarted(child);
    return { child, innerPid: Promise.resolve(undefined) };
  }

  async #spawnSandboxed(options: RunOptions, { folder, own, identity, streams }: PreparedRun) {
    const { found } = this;
    const { runId, command, limits, startsIn = ".", network = "loopback", stdin = "ignore", signal } = options;
    if (found.kind !== "bubblewrap") throw new Error("bubblewrap is not available");
    if (!found.networks.includes(network)) throw new Error(`network '${network}' is not available on this machine`);
    const readable = await realPaths(options.readable?.filter((path) => existsSync(path)));
    const writable = await realPaths(options.writable);
    const given = await realPaths(options.account?.folders);
    const hidden = await realpath(this.#dataFolder).catch(() => undefined);
    if (identity.is === "own-uid") {
      const give = options.account === undefined ? chownFolder : giveFolder;
      await give(folder, identity.uid, identity.gid, { signal });
      for (const path of writable) await shareFolder(path, identity.gid, { signal });
      for (const path of given) await giveFolder(path, identity.uid, identity.gid, { signal });
    }
    const PATH = `${found.nodeFolder}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin`;
    // Else npm asks for each missing package again and again, for minutes, before it says that it reaches nobody.
    const offline = network !== "all" && { npm_config_offline: "true" };
    const base = { PATH, HOME: homeInside, USER: "agent", LANG: "C.UTF-8", TMPDIR: "/tmp", ...offline };
    const markers = this.#markers(runId);
    signal?.throwIfAborted();
    const { child, innerPid, begin } = spawnBubblewrap({
      tools: found.tools,
      view: {
        ...own,
        visible: found.visible,
        filter: found.filter,
        folder,
        startFolder: join(folder, startsIn),
        readable,
        writable: [...writable, ...given],
        hidden,
        network,
        identity,
      },
      argv: argumentsOf(command),
      env: { ...base, ...options.env, ...markers },
      markers,
      resourceLimits: resourceLimits(limits, { hasOwnUid: true }),
      sharedMemoryBytes: limits.memoryBytes,
      prefix: this.#pinToCores(limits, options.together),
      stdio: streams?.stdio ?? [stdin, "pipe", "pipe"],
    });
    await untilStarted(child);
    begin();
    return { child, innerPid };
  }

  #markers(runId: string): Record<string, string> {
    return { [runMarker]: runId, [homeMarker]: ownName(this.#installation) };
  }

  #pinToCores({ cpuCores }: ProcessLimits, together: RunsTogether): readonly string[] {
    together.pinning ??= this.#nextCores(cpuCores);
    return together.pinning;
  }

  /** Neighbouring cores, beginning after those of the last run. */
  #nextCores(cpuCores: number): readonly string[] {
    const { taskset } = this.found.tools;
    if (taskset === undefined) return [];
    const ours = coresOf(readFileSync("/proc/self/status", "utf8"));
    const cores = coresForRuns(ours);
    if (cores.length === ours.length && cpuCores >= availableParallelism()) return [];
    const count = Math.min(cores.length, Math.max(1, Math.ceil(cpuCores)));
    const chosen = Array.from({ length: count }, (_, index) => cores[(this.#nextCore + index) % cores.length]);
    this.#nextCore = (this.#nextCore + count) % cores.length;
    return [taskset, "-c", chosen.join(",")];
  }
}

/** Lowers its priority and raises its OOM score, so that the service and the database survive it. */
async function untilStarted(child: ChildProcess): Promise<void> {
  if (child.pid === undefined) await once(child, "spawn");
  child.on("error", () => {});
  try {
    setPriority(child.pid!, Math.min(19, getPriority() + 5));
    if (ProcessTable.isSupported) writeFileSync(`/proc/${child.pid}/oom_score_adj`, "500");
  } catch {
    // It ended already, or the system forbids it: no reason not to run.
  }
}

/** Of a program that nobody watches. What bubblewrap has started ends with it. */
function endGroup({ pid }: ChildProcess): void {
  try {
    process.kill(-pid!, "SIGKILL");
  } catch {
    // It ended already.
  }
}

function nodeStreams({ stdin, stdout, stderr }: ChildProcess) {
  return { stdin, stdout: stdout!, stderr: stderr! };
}

function uidFor(uids: OwnUids, account: RunAccount | undefined): number {
  return account === undefined ? uids.allocate() : uids.share(account.name);
}

function realPaths(paths: readonly string[] = []): Promise<string[]> {
  return Promise.all(paths.map((path) => realpath(path)));
}

async function removeAll(folders: readonly string[]): Promise<void> {
  for (const folder of folders) await removeFolder(folder).catch(() => undefined);
}
