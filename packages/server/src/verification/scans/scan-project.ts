import type { CompleteSpec } from "@slipway/spec";
import { count } from "../../platform/count.ts";
import { oneLine } from "../../platform/one-line.ts";
import { FileRefusal, readProjectFile } from "../../platform/project-files/index.ts";
import { readBounded } from "../reading/read-bounded.ts";
import type { EvidenceFile } from "../verdict.ts";
import { type Advisories, judgeComponents } from "./dependencies/advisories.ts";
import { readerOf } from "./dependencies/lockfiles.ts";
import { type ReadComponents, readComponents } from "./dependencies/read-components.ts";
import { kindOf } from "./file-kind.ts";
import { FileScanner } from "./file-scanner.ts";
import type { IgnoredComment, LintProblem, ScannerName, ScannerState, ScanResult, Unscanned } from "./finding.ts";
import { gatherFiles, type InnerLink } from "./gather-files.ts";
import { KeptFindings, maxFindings } from "./kept-findings.ts";
import { sarifOf } from "./sarif.ts";
import { logOf } from "./scan-log.ts";
import { sortWaivers, waiverFor } from "./waivers.ts";

interface ToScan {
  /** The project's files as they were committed, before any program of the project ran there. */
  readonly folder: string;
  readonly document: Pick<CompleteSpec, "guardrails" | "name">;
  /** The operator's advisories; a text says why there are none. */
  readonly advisories: Advisories | string;
  readonly signal: AbortSignal;
  readonly now: Date;
  /** Only these paths, if the folder holds more than was committed. */
  readonly only?: ReadonlySet<string>;
  readonly limits?: Partial<ScanLimits>;
  /** Whose threads to use, which take a second to start; left out: one for this scan. */
  readonly scanner?: Pick<FileScanner, "join" | "close">;
}

interface ScanLimits {
  readonly maxFiles: number;
  readonly maxFileBytes: number;
  readonly maxTotalBytes: number;
  /** Of a core, for one file. */
  readonly fileMs: number;
  /** Of a core, for all files; waiting for a thread that scans files of others does not count. */
  readonly totalMs: number;
  readonly heapMb: number;
}

const defaults: ScanLimits = {
  maxFiles: 20_000,
  maxFileBytes: 2 * 1024 * 1024,
  maxTotalBytes: 128 * 1024 * 1024,
  fileMs: 15_000,
  totalMs: 300_000,
  heapMb: 768,
};

const maxUnscanned = 1_000;
const maxComments = 500;

/** Scans a project for secrets, dangerous code and weak dependencies. It runs nothing of the project. */
export async function scanProject({
  folder,
  document,
  advisories,
  signal,
  now,
  only,
  limits,
  scanner,
}: ToScan): Promise<ScanResult> {
  const startMs = performance.now();
  const bounds = { ...defaults, ...limits };
  const gathered = await gatherFiles(folder, { signal, maxFiles: bounds.maxFiles, only });
  const { paths, links, unscanned: notGathered } = gathered;
  const { valid, expired } = sortWaivers(document.guardrails.security_waivers ?? [], now);
  const kept = new KeptFindings(valid);
  const toScan = [...paths.map((path) => ({ path, file: path })), ...renamed(links, paths)];
  const files = await scanFiles({ folder, toScan, bounds, signal, isLinted: document.guardrails.lint, scanner, kept });
  const read = await readComponents(folder, gathered, signal);
  const weak = typeof advisories === "string" ? [] : judgeComponents(advisories, read.components);
  kept.add(weak);
  const unlisted = [...notGathered.filter(({ path }) => readerOf(path) !== undefined), ...read.unread];
  const unscanned = [...notGathered, ...files.unscanned, ...read.unread].filter(
    ({ path }) => waiverFor(valid, { ruleId: "not-scanned", path }) === undefined,
  );
  const scanners = [...scannerStates(files.counts, paths.length), dependencyState(advisories, read)];
  const result = {
    ...kept.end(),
    scanners,
    unscanned: unscanned.slice(0, maxUnscanned).map(({ path, reason }) => ({ path: oneLine(path, 300), reason })),
    unscannedCount: unscanned.length,
    ignoredComments: files.comments,
    expiredWaivers: expired,
    components: read.components,
    unlisted,
    lint: withUnread(files.lint, [...notGathered, ...files.unscanned]),
    files: paths.length,
    lines: files.lines,
    durationMs: Math.round(performance.now() - startMs),
  };
  const evidence: EvidenceFile[] = [
    {
      type: "security_scan",
      path: "verification/scan.sarif",
      mediaType: "application/sarif+json",
      text: sarifOf(result),
    },
    {
      type: "sbom",
      path: "verification/sbom.cdx.json",
      mediaType: "application/vnd.cyclonedx+json",
      text: await readBounded(
        "sbom",
        [read.components, { name: document.name, version: undefined, now, isWhole: unlisted.length === 0 }],
        {
          path: "sbom.cdx.json",
          signal,
        },
      ),
    },
  ];
  return { ...result, evidence, log: logOf(result) };
}

/** Files that a link calls something else: programs go by the name that they are told. */
function renamed(links: readonly InnerLink[], paths: readonly string[]) {
  const known = new Set(paths);
  const isOther = ({ path, target }: InnerLink) => known.has(target) && kindOf(path, "") !== kindOf(target, "");
  return links.filter(isOther).map(({ path, target }) => ({ path, file: target }));
}

interface FilesToScan {
  readonly folder: string;
  /** What each is called, and where it lies. */
  readonly toScan: readonly { readonly path: string; readonly file: string }[];
  readonly bounds: ScanLimits;
  readonly signal: AbortSignal;
  readonly isLinted: boolean;
  readonly scanner: ToScan["scanner"];
  /** Where findings go. */
  readonly kept: KeptFindings;
}

/** Hands each file to the thread, and notes what could not be read. */
async function scanFiles({ folder, toScan, bounds, signal, isLinted, scanner: given, kept }: FilesToScan) {
  const unscanned: Unscanned[] = [];
  const comments: IgnoredComment[] = [];
  const problems: LintProblem[] = [];
  const counts = new Map<ScannerName, number>();
  const scanner = given ?? new FileScanner({ cpuLimitMs: bounds.fileMs, heapMb: bounds.heapMb, threads: 1 });
  const ofProject = scanner.join();
  let usedMs = 0;
  let leftBytes = bounds.maxTotalBytes;
  const read = (path: string) => {
    const reading = readToScan(folder, path, bounds.maxFileBytes, signal);
    // Nobody may be left to wait for it.
    reading.catch(() => undefined);
    return reading;
  };
  let ahead: ReturnType<typeof read> | undefined;
  let lines = 0;
  let linted = 0;
  try {
    for (const [index, { path, file }] of toScan.entries()) {
      if (usedMs > bounds.totalMs || leftBytes <= 0) {
        unscanned.push({
          path,
          reason:
            leftBytes <= 0
              ? `is beyond the first ${bounds.maxTotalBytes} bytes`
              : `was not reached within ${bounds.totalMs / 1000} s of scanning`,
        });
        continue;
      }
      const bytes = await (ahead ?? read(file));
      // While the thread works, the disk reads the next one.
      const next = toScan[index + 1];
      ahead = next === undefined ? undefined : read(next.file);
      if (typeof bytes === "string") {
        unscanned.push({ path, reason: bytes });
        continue;
      }
      leftBytes -= bytes.length;
      const told = await ofProject.scan({ path, bytes, isLinted }, signal);
      usedMs += told.usedMs;
      if ("error" in told) {
        unscanned.push({ path, reason: told.error });
        continue;
      }
      const { answer: scan } = told;
      kept.add(
        scan.spotted.map((one) => ({ ...one, path })),
        scan.leftOut,
      );
      if (scan.unscanned !== undefined) unscanned.push({ path, reason: scan.unscanned });
      if (comments.length < maxComments) comments.push(...scan.ignoredComments.map((one) => ({ ...one, path })));
      for (const name of scan.scanners) counts.set(name, (counts.get(name) ?? 0) + 1);
      if (scan.lint !== undefined) {
        linted += 1;
        if (problems.length < maxFindings) problems.push(...scan.lint.map((one) => ({ ...one, path })));
      }
      lines += scan.lines;
    }
  } finally {
    ofProject.leave();
    if (given === undefined) scanner.close();
  }
  const lint: ScanResult["lint"] = !isLinted
    ? { is: "not_done", reason: "The document does not ask for it." }
    : linted === 0
      ? {
          is: "not_done",
          reason:
            "The project has no JavaScript or TypeScript, and the service lints nothing else. A plugin's check or a reviewer could.",
        }
      : { is: "done", problems, files: linted, unread: [] };
  return { unscanned, comments, counts, lines, lint };
}

/** Scripts that nobody linted: a problem may be in one of them. */
function withUnread(lint: ScanResult["lint"], unscanned: readonly Unscanned[]): ScanResult["lint"] {
  const unread = unscanned.filter(({ path }) => kindOf(path, "") === "script");
  return lint.is === "done" ? { ...lint, unread } : lint;
}

/** A lockfile's long lists are read on their own; a secret hides in one as well as in any other file. */
async function readToScan(
  folder: string,
  path: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Buffer | string> {
  const isLock =
    /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|[\w.]*\.lock|go\.sum)$/.test(path);
  try {
    return await readProjectFile(folder, path, { maxBytes: isLock ? 8 * maxBytes : maxBytes, signal });
  } catch (error) {
    if (!(error instanceof FileRefusal)) throw error;
    return error.code === "too_large"
      ? `is larger than ${maxBytes} bytes`
      : error.message.replace(/^'.*?' /, "").replace(/\.$/, "");
  }
}

const descriptions: Readonly<Record<Exclude<ScannerName, "dependencies">, string>> = {
  secrets: "secretlint's recommended rules and the service's own shapes",
  code: "ESLint with security rules and the service's own taint analysis",
  python: "the service's own rules over tokens, which follow values within a function only",
  containers: "the service's own rules for Dockerfiles, compose files, manifests and workflows",
  shell: "the service's own rules for shell scripts, Makefiles and package scripts",
};

function scannerStates(counts: ReadonlyMap<ScannerName, number>, files: number): ScannerState[] {
  return Object.entries(descriptions).map(([name, reason]) => {
    const scanner = name as ScannerName;
    const count = counts.get(scanner) ?? 0;
    if (count === 0 && (files === 0 || scanner !== "secrets"))
      return { scanner, state: "nothing_to_scan", files: 0, reason: "The project has no such files." };
    return { scanner, state: count === 0 ? "not_scanned" : "scanned", files: count, reason };
  });
}

function dependencyState(advisories: Advisories | string, { components, unread }: ReadComponents): ScannerState {
  const scanner = "dependencies";
  if (components.length === 0 && unread.length === 0)
    return { scanner, state: "nothing_to_scan", files: 0, reason: "The project takes no packages from others." };
  const files = new Set(components.map(({ path }) => path)).size;
  if (typeof advisories === "string") return { scanner, state: "not_scanned", files, reason: advisories };
  const open = components.filter(({ version }) => version === undefined);
  if (open.length > 0)
    return {
      scanner,
      state: "not_scanned",
      files,
      reason: `${open.length} of ${count(components.length, "package")} ${open.length === 1 ? "has" : "have"} no exact version, first ${open[0]!.name} in ${open[0]!.path}. Commit a lockfile.`,
    };
  return {
    scanner,
    state: "scanned",
    files,
    reason: `${count(components.length, "package")} against ${count(advisories.count, "advisory", "advisories")} from ${advisories.source}`,
  };
}
