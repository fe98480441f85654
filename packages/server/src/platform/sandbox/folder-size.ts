import type { ChildProcess } from "node:child_process";
import { platform } from "node:process";
import type { DiskPart } from "../disk-space.ts";
import { pause } from "../pause.ts";
import { spawnProgram } from "../process/index.ts";
import { stuckFileCalls } from "../project-files/index.ts";
import { diskCalls, leastFileBytes } from "./disk-room.ts";
import { maxLookMs, placesOf, withoutPipes } from "./look-at-paths.ts";
import type { SharedSizes, SharedUse } from "./shared-sizes.ts";
import { smallFolderSizes } from "./small-folder-size.ts";

interface ToMeasure {
  readonly folders: readonly string[];
  /** Folders that others use too: what is added to them while the run lasts counts. */
  readonly shared: readonly string[];
  /** What earlier runs have left in those. */
  readonly sharedSizes?: SharedSizes;
  /** Paths of open files that have no name any more. */
  readonly openFiles: () => Promise<readonly string[]>;
}

/** More do not count. */
const maxOpenFiles = 40_000;
/** More go through standard input: those of mapped files are so long that a command line has no room for all. */
const maxOnCommandLine = 10_000;
/** A run waits no longer for what is in the folders that it shares: what it has added when that is known is lost. */
const maxBeginMs = 30_000;
/** How often a look is repeated that was not told of all folders, and after which pause. */
const maxLooks = 5;
const lookAgainMs = 100;

/**
 * Measures the disk space that a run takes up. Small folders are looked through here: to start a program copies the tables
 * of all our memory. Others are by `du`: it reaches folders that are too deep for a path, counts a file with two names once
 * and follows no link. It is a process of its own: a disk that does not answer holds no thread of ours.
 */
export class DiskMeter {
  readonly #toMeasure: ToMeasure;
  readonly #sharedBefore = new Map<string, DiskPart>();
  readonly #sharedUses = new Map<string, SharedUse>();
  /** What there is of each when the run is over. */
  #sharedAtEnd: ReadonlyMap<string, DiskPart> = new Map();
  /** By the path of each folder. */
  #devices = new Map<string, number>();
  #disks: readonly string[];

  constructor(toMeasure: ToMeasure) {
    this.#toMeasure = toMeasure;
    this.#disks = [this.disk];
  }

  /** Where its first folder is. */
  get disk(): string {
    return this.#toMeasure.folders[0]!;
  }

  /** A folder of each disk that it measures; only the first one before it was begun. */
  get disks(): readonly string[] {
    return this.#disks;
  }

  /** Notes what is there before the run adds to it. */
  async begin(signal: AbortSignal): Promise<void> {
    const { folders, shared, sharedSizes } = this.#toMeasure;
    const found = await placesOf([...folders, ...shared], signal);
    this.#devices = new Map([...found].map(([path, { device }]) => [path, device]));
    // One of which nothing is known is judged with the first.
    const diskOf = (path: string) => this.#devices.get(path) ?? this.#devices.get(this.disk);
    this.#disks = [...Map.groupBy([...folders, ...shared], diskOf).values()].map(([first]) => first!);
    for (const path of shared) {
      const use = sharedSizes?.enter(path, found.get(path)?.identity);
      if (use !== undefined) this.#sharedUses.set(path, use);
      if (use?.known !== undefined) this.#sharedBefore.set(path, use.known);
    }
    const unknown = shared.filter((path) => !this.#sharedBefore.has(path));
    if (unknown.length > 0) await this.#sizesOf(unknown, AbortSignal.any([signal, AbortSignal.timeout(maxBeginMs)]));
  }

  /** Others may use what the run has shared with them; the next one begins from what was there at its end. */
  leave(): void {
    for (const [path, { leave }] of this.#sharedUses) leave(this.#sharedAtEnd.get(path));
    this.#sharedUses.clear();
  }

  /** What counts against a limit; undefined after an abort. */
  async measure(signal: AbortSignal): Promise<number | undefined> {
    return (await this.measureUse(signal))?.counted;
  }

  /** Undefined after an abort. When no process of the run is left, what it finds is what the run leaves. */
  async measureUse(signal: AbortSignal, { isOver = false } = {}): Promise<DiskUse | undefined> {
    const { folders, shared, openFiles } = this.#toMeasure;
    const unnamed = await withoutPipes((await openFiles()).slice(0, maxOpenFiles), signal);
    const devices = new Map([...this.#devices, ...unnamed.flatMap(({ path, device }) => entryOf(path, device))]);
    const paths = [...folders, ...shared, ...unnamed.map(({ path }) => path)];
    const sizes = await this.#wholeSizesOf(paths, signal, unnamed.length > 0);
    if (sizes === undefined) return undefined;
    if (isOver) this.#sharedAtEnd = new Map(sizes.map((size) => [size.path, size]));
    const uses = sizes.map((size) => this.#growth(size));
    const first = this.#devices.get(this.disk);
    const isOn = (disk: string) => (part: Size) => (devices.get(part.path) ?? first) === this.#devices.get(disk);
    return { counted: sum(uses).counted, ofDisks: this.#disks.map((disk) => sum(uses.filter(isOn(disk)))) };
  }

  /**
   * A program that moves its folders while they are looked through makes `du` give up, or fail. It tells nothing of them then,
   * and what nobody can measure must not go on.
   */
  async #wholeSizesOf(paths: readonly string[], signal: AbortSignal, hasUnnamed: boolean): Promise<Size[] | undefined> {
    for (let left = maxLooks; ; left -= 1) {
      const sizes = await this.#sizesOf(paths, signal, hasUnnamed);
      const lost = sizes && (await this.#findLost(sizes, signal));
      if (lost === undefined) return sizes;
      if (left <= 1) throw new Error(`Nobody can tell what ${lost} takes up: its folders are moved all the time.`);
      await pause(lookAgainMs, signal);
    }
  }

  /** A folder that is there, and of which nothing was told. */
  async #findLost(sizes: readonly Size[], signal: AbortSignal): Promise<string | undefined> {
    const { folders, shared } = this.#toMeasure;
    const told = new Set(sizes.map(({ path }) => path));
    // Of one in another, only the outer one is told.
    const isInside = (path: string) => [...told].some((outer) => path.startsWith(`${outer}/`));
    const missing = [...folders, ...shared].filter((path) => !told.has(path) && !isInside(path));
    if (missing.length === 0) return undefined;
    const there = await placesOf(missing, signal);
    return missing.find((path) => there.has(path));
  }

  async #sizesOf(paths: readonly string[], signal: AbortSignal, hasUnnamed = false): Promise<Size[] | undefined> {
    const small = hasUnnamed ? undefined : await smallSizesOf(paths, signal);
    const sizes = small ?? (await sizesOf(paths, signal));
    for (const size of sizes ?? [])
      if (this.#toMeasure.shared.includes(size.path) && !this.#sharedBefore.has(size.path))
        this.#sharedBefore.set(size.path, size);
    return sizes;
  }

  #growth({ path, bytes, files }: Size): Size {
    const before = this.#sharedBefore.get(path) ?? { bytes: 0, files: 0 };
    return { path, bytes: Math.max(0, bytes - before.bytes), files: Math.max(0, files - before.files) };
  }
}

/** What a run takes up of disks. */
export interface DiskUse {
  /**
   * Against its limit. Empty files count as much as the smallest: a disk has room for as many files as it was made for, and
   * whoever takes them all keeps everybody else from writing.
   */
  readonly counted: number;
  /** Of each disk. */
  readonly ofDisks: readonly CountedPart[];
}

interface CountedPart extends DiskPart {
  readonly counted: number;
}

interface Count {
  readonly path: string;
  readonly count: number;
}

interface Size extends DiskPart {
  readonly path: string;
}

function entryOf(path: string, device: number | undefined): [path: string, device: number][] {
  return device === undefined ? [] : [[path, device]];
}

/** Undefined where only `du` can tell, also because the disk does not answer. */
async function smallSizesOf(folders: readonly string[], signal: AbortSignal): Promise<Size[] | undefined> {
  if (platform !== "linux" || signal.aborted || stuckFileCalls() > 0) return undefined;
  const call = { path: folders[0]!, signal, limitMs: maxLookMs };
  const sizes = await diskCalls.run(() => smallFolderSizes(folders), call).catch(() => undefined);
  return sizes?.map((size, index) => ({ path: folders[index]!, ...size }));
}

let canCountFiles: boolean | undefined;

/** Some systems have a `du` that counts no files. */
async function duCountsFiles(signal: AbortSignal): Promise<boolean> {
  const tried = canCountFiles === undefined ? await run("du -s --inodes", ["/dev/null"], signal) : undefined;
  if (!signal.aborted) canCountFiles ??= tried?.counts.length === 1;
  return canCountFiles ?? true;
}

async function sizesOf(paths: readonly string[], signal: AbortSignal): Promise<Size[] | undefined> {
  // `-H` is for the links of /proc that lead to open files.
  const [kilobytes, files] = await Promise.all([
    countAll("-skxH", paths, signal),
    countAll("-sxH --inodes", paths, signal),
  ]);
  const filesOf = new Map(files?.map(({ path, count }) => [path, count]));
  const isTold = ({ path }: Count) => filesOf.has(path);
  const known = kilobytes?.every(isTold) || !(await duCountsFiles(signal)) ? kilobytes : kilobytes?.filter(isTold);
  return known?.map(({ path, count }) => ({ path, bytes: count * 1024, files: filesOf.get(path) ?? 0 }));
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
  const countOf = new Map(seen.counts.map(({ path, count }) => [path, count]));
  for (const { path, count } of more?.counts ?? []) countOf.set(path, Math.max(count, countOf.get(path) ?? 0));
  return [...countOf].map(([path, count]) => ({ path, count }));
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
  const isLong = paths.length > maxOnCommandLine;
  const child = spawnProgram(program!, [...options, ...(isLong ? ["--files0-from=-"] : ["--", ...paths])], {
    cwd: "/",
    env,
    stdio: [isLong ? "pipe" : "ignore", "pipe", "ignore"],
  });
  child.stdin?.on("error", () => undefined).end(paths.join("\0"));
  const { promise, resolve } = Promise.withResolvers<Counted | undefined>();
  let text = "";
  child.stdout!.setEncoding("utf8").on("data", (part: string) => {
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

function sum(sizes: readonly Size[]): CountedPart {
  const add = (one: CountedPart, { bytes, files }: Size) => ({
    bytes: one.bytes + bytes,
    files: one.files + files,
    counted: one.counted + Math.max(bytes, files * leastFileBytes),
  });
  return sizes.reduce(add, { bytes: 0, files: 0, counted: 0 });
}

/** A process that waits for a disk ends only when the disk answers: it must not hold up ours. */
function letGo(child: ChildProcess): void {
  child.kill("SIGKILL");
  child.stdout?.destroy();
  child.unref();
}
