import type { ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { totalmem } from "node:os";
import { dirname } from "node:path";
import type { Readable } from "node:stream";
import { measureDisk } from "../disk-space.ts";
import { groupKiller, spawnProgram } from "../process/index.ts";
import { largeFilesAsTheyAre } from "./pack-objects.ts";
import { seeingOnly } from "./seeing-only.ts";
import { noSpace, WorkspaceError, type WorkspaceErrorCode } from "./workspace-error.ts";

/** A bare repository, and the time limit for git in it. */
export interface Repository {
  readonly gitDir: string;
  readonly limitMs: number;
}

export interface GitOptions {
  readonly workTree?: string;
  readonly indexFile?: string;
  /** Standard input of git. */
  readonly input?: string | AsyncIterable<Uint8Array>;
  readonly signal?: AbortSignal | undefined;
  readonly maxOutputBytes?: number;
  /** Further git settings, as `name=value`. */
  readonly config?: readonly string[];
  /** Further git settings that others on this machine must not see in a list of processes. */
  readonly secretConfig?: Readonly<Record<string, string>>;
  /** Exit codes that are no failure. */
  readonly answers?: readonly number[];
}

export interface GitAnswer {
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

const megabyte = 1024 * 1024;
const maxErrorText = 64 * 1024;
/** One that waits for a disk cannot be killed until that answers. */
const maxKillMs = 500;

/** Passed on every call, overriding all files, so that neither a tree nor a home folder can change what git does. */
const settings: Readonly<Record<string, string>> = {
  "core.hooksPath": "/dev/null",
  "core.fsmonitor": "false",
  "core.autocrlf": "false",
  "core.quotePath": "false",
  "core.excludesFile": "/dev/null",
  "core.attributesFile": "/dev/null",
  // Also refuses names that other systems take for `.git`.
  "core.protectHFS": "true",
  "core.protectNTFS": "true",
  "core.fileMode": "true",
  "core.symlinks": "true",
  "core.ignoreCase": "false",
  "gc.auto": "0",
  "maintenance.auto": "false",
  "protocol.allow": "never",
  "safe.directory": "*",
  "advice.addEmbeddedRepo": "false",
  "pack.threads": "1",
  // Each holds a file as a whole.
  "grep.threads": "1",
  // Ten versions of a large file would be in memory at once.
  "pack.windowMemory": "256m",
};

/**
 * Take memory that others choose. To compare files line by line, git takes eighty times the size of a file of empty lines; a
 * remote's delta of some kilobytes unpacks to gigabytes.
 */
const bounded: ReadonlySet<string> = new Set(["diff", "diff-tree", "fetch", "merge-file", "merge-tree"]);
const maxMemoryBytes = Math.min(2 * 2 ** 30, Math.floor(totalmem() / 2));
const prlimit = ["/usr/bin/prlimit", "/bin/prlimit"].find((path) => existsSync(path));

/**
 * Pass files on piece by piece, where these lie in a pack as they are; else git would hold up to half a gigabyte of each as a
 * whole, for as long as whoever reads it takes.
 */
const inPieces: ReadonlySet<string> = new Set(["cat-file", "index-pack", "read-tree"]);

/** The beginning of its command line. What it allocates counts, and not the files that it maps. */
function programFor(command: string): readonly [string, ...string[]] {
  if (prlimit === undefined || !bounded.has(command)) return ["git"];
  return [prlimit, `--data=${maxMemoryBytes}`, "--", "git"];
}

/**
 * Reads files by their paths. The runs that worked there have ended, but one may have sent an open folder to another, which
 * exchanges what is in it for links.
 */
const reading: ReadonlySet<string> = new Set(["add"]);

/** Runs git to its end, and returns its output. */
export async function runGit(
  repository: Repository,
  args: readonly string[],
  { maxOutputBytes = 64 * megabyte, ...options }: GitOptions = {},
): Promise<GitAnswer> {
  const { workTree, indexFile } = options;
  const folders = [repository.gitDir, ...(workTree ? [workTree] : []), ...(indexFile ? [dirname(indexFile)] : [])];
  const before = reading.has(args[0]!) ? await seeingOnly(folders) : [];
  const { stdout, done, stop } = startGit(repository, args, { ...options, before });
  const chunks: Buffer[] = [];
  let length = 0;
  stdout.on("data", (chunk: Buffer) => {
    length += chunk.length;
    if (length <= maxOutputBytes) chunks.push(chunk);
    else stop(new WorkspaceError("too_large", `git ${args[0]} wrote more than ${maxOutputBytes} bytes.`));
  });
  return { ...(await done), stdout: Buffer.concat(chunks) };
}

interface RunningGit {
  /** Must be read or piped at once: Node discards unread output when a process ends. */
  readonly stdout: Readable;
  /** Resolves when git ended without failure; rejects otherwise. */
  readonly done: Promise<{ code: number; stderr: string }>;
  /** Kills git and all processes it started. */
  stop(reason: unknown): void;
}

/** Starts git in its own session, with a time limit. */
export function startGit(
  { gitDir, limitMs }: Repository,
  args: readonly string[],
  {
    workTree,
    indexFile,
    input,
    signal,
    config = [],
    secretConfig = {},
    answers = [0],
    before = [],
  }: Omit<GitOptions, "maxOutputBytes"> & { /** Programs that start git. */ readonly before?: readonly string[] } = {},
): RunningGit {
  signal?.throwIfAborted();
  const where = [`--git-dir=${gitDir}`, ...(workTree === undefined ? [] : [`--work-tree=${workTree}`])];
  const [program, ...first] = [...before, ...programFor(args[0]!)] as [string, ...string[]];
  const further = [...(inPieces.has(args[0]!) ? [largeFilesAsTheyAre] : []), ...config].flatMap((one) => ["-c", one]);
  const child = spawnProgram(program, [...first, ...where, ...further, ...args], {
    // Not in the repository: Node would wait in its own thread for the repository's disk.
    cwd: "/",
    env: environment(gitDir, indexFile, secretConfig),
    // Its own process group, which is killed as a whole and which Ctrl-C on the terminal does not reach.
    detached: true,
    stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
  });
  const kill = groupKiller(child);
  let reason: unknown;
  let hasEnded = false;
  const { promise: left, resolve: leave } = Promise.withResolvers<null>();
  let patience: NodeJS.Timeout | undefined;
  const stop = (why: unknown) => {
    if (hasEnded) return;
    reason ??= why;
    kill();
    patience ??= setTimeout(() => {
      child.unref();
      // It holds their other ends for as long as it waits.
      for (const stream of child.stdio) stream?.destroy();
      leave(null);
    }, maxKillMs);
  };
  const timer = setTimeout(() => {
    stop(new WorkspaceError("timed_out", `git ${args[0]} was ended after ${limitMs / 1000} seconds.`));
  }, limitMs);
  const onAbort = () => stop(signal?.reason);
  signal?.addEventListener("abort", onAbort, { once: true });
  const stderr = collectText(child.stderr!);
  feed(child, input).catch(stop);
  const done = Promise.race([ended(child), left])
    .then(async (code) => {
      hasEnded = true;
      if (reason !== undefined) throw reason;
      if (!answers.includes(code ?? -1))
        throw await gitFailed(args, code, stderr(), [gitDir, ...(workTree ? [workTree] : [])]);
      return { code: code ?? -1, stderr: stderr() };
    })
    .finally(() => {
      clearTimeout(timer);
      clearTimeout(patience);
      signal?.removeEventListener("abort", onAbort);
    });
  // Callers may await it only after reading the output.
  done.catch(() => undefined);
  return { stdout: child.stdout!, done, stop };
}

function environment(
  gitDir: string,
  indexFile: string | undefined,
  secretConfig: Readonly<Record<string, string>>,
): NodeJS.ProcessEnv {
  return {
    ...gitIsolation(secretConfig),
    PATH: process.env["PATH"],
    // A folder that does not exist and that only the service could create.
    HOME: `${gitDir}/home`,
    ...(indexFile !== undefined && { GIT_INDEX_FILE: indexFile }),
  };
}

/** Environment variables that keep git from reading any configuration but its arguments. */
export function gitIsolation(further: Readonly<Record<string, string>> = {}): Record<string, string> {
  const entries = Object.entries({ ...settings, ...further });
  const env: Record<string, string> = {
    LC_ALL: "C",
    TZ: "UTC",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_LITERAL_PATHSPECS: "1",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_CONFIG_COUNT: String(entries.length),
  };
  for (const [index, [key, value]] of entries.entries()) {
    env[`GIT_CONFIG_KEY_${index}`] = key;
    env[`GIT_CONFIG_VALUE_${index}`] = value;
  }
  return env;
}

function collectText(stream: Readable): () => string {
  let text = "";
  stream.setEncoding("utf8").on("data", (chunk: string) => {
    if (text.length < maxErrorText) text += chunk;
  });
  return () => text;
}

async function feed(child: ChildProcess, input: GitOptions["input"]): Promise<void> {
  const { stdin } = child;
  if (!stdin || input === undefined) return;
  // Git may end before it reads all input: its own error counts, not the broken pipe.
  const gone = new Promise<void>((resolve) => stdin.once("error", () => resolve()).once("close", resolve));
  if (typeof input === "string") {
    stdin.end(input);
    return;
  }
  for await (const chunk of input) {
    if (stdin.destroyed) return;
    if (!stdin.write(chunk)) {
      await Promise.race([new Promise<void>((resolve) => stdin.once("drain", resolve)), gone]);
    }
  }
  stdin.end();
}

function ended(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once("close", resolve);
    child.once("error", (error: NodeJS.ErrnoException) => {
      child.off("close", resolve);
      reject(cannotStart(error));
    });
  });
}

function cannotStart(error: NodeJS.ErrnoException): Error {
  if (error.code !== "ENOENT") return new Error("git could not be started", { cause: error });
  return new WorkspaceError("git_missing", "git could not be started: it is not in the PATH.", { cause: error });
}

async function gitFailed(
  args: readonly string[],
  code: number | null,
  stderr: string,
  [gitDir, ...others]: readonly [string, ...string[]],
): Promise<WorkspaceError> {
  if (/not a git repository/.test(stderr) && (await isMissing(gitDir)))
    return new WorkspaceError("repository_missing", `The repository ${gitDir} is not on this node.`);
  // Git does not always report a full disk as the reason.
  const isFull =
    /No space left on device|Disk quota exceeded/.test(stderr) ||
    (await Promise.all([gitDir, ...others].map(isDiskFull))).some(Boolean);
  if (isFull) return noSpace(`git ${args[0]}`);
  if (/out of memory|cannot allocate memory/i.test(stderr)) {
    const gigabytes = Math.round((maxMemoryBytes / 2 ** 30) * 10) / 10;
    const message = `git ${args[0]} needs more memory than ${gigabytes} GB: the files it works on are too large.`;
    return new WorkspaceError("too_large", message);
  }
  const lines = stderr.trim().split("\n").slice(-5).join("\n");
  return new WorkspaceError(codeOf(stderr), `git ${args[0]} failed (${code ?? "killed"}): ${lines}`);
}

function codeOf(stderr: string): WorkspaceErrorCode {
  if (/object file .* is empty|object .* is corrupt|unable to read (tree|sha1 file)|missing blob/.test(stderr)) {
    return "repository_broken";
  }
  const isUnknown = /bad object|bad revision|valid object name|not a tree object|unpack tree object|unknown revision/i;
  return isUnknown.test(stderr) ? "unknown_commit" : "git_failed";
}

function isMissing(path: string): Promise<boolean> {
  return stat(path).then(
    () => false,
    () => true,
  );
}

async function isDiskFull(path: string): Promise<boolean> {
  const disk = await measureDisk(path).catch(() => undefined);
  return disk !== undefined && (disk.freeBytes === 0 || disk.freeFiles === 0);
}
