import { type ChildProcess, spawn } from "node:child_process";
import { stat } from "node:fs/promises";
import { platform } from "node:process";
import { stuckFileCalls } from "../project-files/index.ts";
import { type DiskPart, diskCalls, leastFileBytes } from "./disk-room.ts";
import { smallFolderSizes } from "./small-folder-size.ts";

interface ToMeasure {
  readonly folders: readonly string[];
  /** Folders that others use too: what is added to them while the run lasts counts. */
  readonly shared: readonly string[];
  /** Paths of open files that have no name any more. */
  readonly openFiles: () => Promise<readonly string[]>;
}

/** As many as fit on a command line. */
const maxOpenFiles = 40_000;
const maxLookMs = 1_000;

/**
 * Measures the disk space that a run takes up. Small folders are looked through here: to start a program copies the tables
 * of all our memory. Others are by `du`: it reaches folders that are too deep for a path, counts a file with two names once
 * and follows no link. It is a process of its own: a disk that does not answer holds no thread of ours.
 */
export class DiskMeter {
  readonly #toMeasure: ToMeasure;
  #sharedBefore: DiskUse | undefined;

  constructor(toMeasure: ToMeasure) {
    this.#toMeasure = toMeasure;
  }

  get disk(): string {
    return this.#toMeasure.folders[0]!;
  }

  /** What counts against a limit; undefined after an abort. */
  async measure(signal: AbortSignal): Promise<number | undefined> {
    return (await this.measureUse(signal))?.counted;
  }

  /** Undefined after an abort. */
  async measureUse(signal: AbortSignal): Promise<DiskUse | undefined> {
    const { folders, shared, openFiles } = this.#toMeasure;
    const unnamed = (await withoutPipes(await openFiles(), signal)).slice(0, maxOpenFiles);
    const named = [...folders, ...shared];
    const small = unnamed.length > 0 ? undefined : await smallSizesOf(named, signal);
    const sizes = small ?? (await sizesOf([...named, ...unnamed], signal));
    if (sizes === undefined) return undefined;
    const isShared = ({ path }: Size) => shared.includes(path);
    const sharedNow = sum(sizes.filter(isShared));
    this.#sharedBefore ??= sharedNow;
    return add(sum(sizes.filter((size) => !isShared(size))), growth(this.#sharedBefore, sharedNow));
  }
}

/** What a run takes up of a disk. */
export interface DiskUse extends DiskPart {
  /**
   * Against its limit. Empty files count as much as the smallest: a disk has room for as many files as it was made for, and
   * whoever takes them all keeps everybody else from writing.
   */
  readonly counted: number;
}

interface Count {
  readonly path: string;
  readonly count: number;
}

interface Size extends DiskPart {
  readonly path: string;
}

/** More are not looked at here. */
const maxLooked = 500;

/** The streams of a program are pipes that have no name any more: they take up nothing. */
export async function withoutPipes(openFiles: readonly string[], signal: AbortSignal): Promise<readonly string[]> {
  if (openFiles.length === 0 || openFiles.length > maxLooked || signal.aborted) return openFiles;
  const look = async () => {
    const kept: string[] = [];
    for (const path of openFiles) if (!(await stat(path).catch(() => undefined))?.isFIFO()) kept.push(path);
    return kept;
  };
  return diskCalls.run(look, { path: openFiles[0]!, signal, limitMs: maxLookMs }).catch(() => openFiles);
}

/** Undefined where only `du` can tell, also because the disk does not answer. */
async function smallSizesOf(folders: readonly string[], signal: AbortSignal): Promise<Size[] | undefined> {
  if (platform !== "linux" || signal.aborted || stuckFileCalls() > 0) return undefined;
  const call = { path: folders[0]!, signal, limitMs: maxLookMs };
  const sizes = await diskCalls.run(() => smallFolderSizes(folders), call).catch(() => undefined);
  return sizes?.map((size, index) => ({ path: folders[index]!, ...size }));
}

async function sizesOf(paths: readonly string[], signal: AbortSignal): Promise<Size[] | undefined> {
  // `-H` is for the links of /proc that lead to open files.
  const [kilobytes, files] = await Promise.all([
    countAll("-skxH", paths, signal),
    countAll("-sxH --inodes", paths, signal),
  ]);
  return kilobytes?.map(({ path, count }, index) => {
    const ofPath = files?.[index]?.path === path ? files[index].count : 0;
    return { path, bytes: count * 1024, files: ofPath };
  });
}

/** Makes a program the root of a user namespace that may read all that is ours, also what is closed to its owner. */
const asRootOfOurs =
  "bwrap --die-with-parent --dev-bind / / --unshare-user --uid 0 --gid 0 --cap-add CAP_DAC_READ_SEARCH";

/**
 * What `du` counts of each path; undefined after an abort. Whoever is not root cannot look into folders that a program has
 * closed to its own user, but which it writes to. Open files of programs can be seen from outside the namespace only.
 */
async function countAll(options: string, paths: readonly string[], signal: AbortSignal): Promise<Count[] | undefined> {
  const seen = await run(`du ${options}`, paths, signal);
  if (seen === undefined || seen.isWhole || process.geteuid?.() === 0) return seen?.counts;
  const more = await run(`${asRootOfOurs} du ${options}`, paths, signal);
  const countOf = new Map(more?.counts.map(({ path, count }) => [path, count]));
  return seen.counts.map(({ path, count }) => ({ path, count: Math.max(count, countOf.get(path) ?? 0) }));
}

interface Counted {
  readonly counts: Count[];
  /** Everything could be looked at. */
  readonly isWhole: boolean;
}

/** Undefined after an abort, or where there is no such program. */
async function run(command: string, paths: readonly string[], signal: AbortSignal): Promise<Counted | undefined> {
  if (signal.aborted) return undefined;
  const env = { PATH: "/usr/bin:/bin", LC_ALL: "C" };
  const [program, ...options] = command.split(" ");
  const child = spawn(program!, [...options, "--", ...paths], { cwd: "/", env, stdio: ["ignore", "pipe", "ignore"] });
  const { promise, resolve } = Promise.withResolvers<Counted | undefined>();
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (part: string) => {
    text += part;
  });
  child
    .on("error", () => resolve(undefined))
    .on("close", (code) => resolve({ counts: readCounts(text), isWhole: code === 0 }));
  const onAbort = () => {
    letGo(child);
    resolve(undefined);
  };
  signal.addEventListener("abort", onAbort, { once: true });
  return promise.finally(() => signal.removeEventListener("abort", onAbort));
}

/** A line a path. */
function readCounts(text: string): Count[] {
  return [...text.matchAll(/^(\d+)\t(.*)$/gm)].map(([, count, path]) => ({ path: path!, count: Number(count) }));
}

const nothing: DiskUse = { bytes: 0, files: 0, counted: 0 };

function sum(sizes: readonly Size[]): DiskUse {
  return sizes
    .map(({ bytes, files }) => ({ bytes, files, counted: Math.max(bytes, files * leastFileBytes) }))
    .reduce(add, nothing);
}

function add(one: DiskUse, other: DiskUse): DiskUse {
  return {
    bytes: one.bytes + other.bytes,
    files: one.files + other.files,
    counted: one.counted + other.counted,
  };
}

function growth(before: DiskUse, now: DiskUse): DiskUse {
  return {
    bytes: Math.max(0, now.bytes - before.bytes),
    files: Math.max(0, now.files - before.files),
    counted: Math.max(0, now.counted - before.counted),
  };
}

/** A process that waits for a disk ends only when the disk answers: it must not hold up ours. */
function letGo(child: ChildProcess): void {
  child.kill("SIGKILL");
  child.stdout?.destroy();
  child.unref();
}
