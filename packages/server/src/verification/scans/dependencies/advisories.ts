import { takeTurns } from "../../../platform/in-turns.ts";
import { readWholeAnswer } from "../../../platform/network/index.ts";
import { readProjectFile, walkProjectFiles } from "../../../platform/project-files/index.ts";
import type { Severity, Spotted } from "../finding.ts";
import type { Component } from "./component.ts";
import { cvssSeverity } from "./cvss.ts";
import { compareVersions } from "./versions.ts";

/** Known weaknesses of packages, by ecosystem and name. */
export interface Advisories {
  readonly count: number;
  /** Where they come from, for people. */
  readonly source: string;
  find(component: Component): readonly Advisory[];
}

interface Advisory {
  readonly id: string;
  readonly summary: string;
  readonly severity: Severity;
  readonly affected: readonly Affected[];
}

interface Affected {
  readonly versions: ReadonlySet<string>;
  readonly ranges: readonly (readonly RangeEvent[])[];
}

type RangeEvent = Readonly<Record<"introduced" | "fixed" | "last_affected", string | undefined>>;

interface LoadDeps {
  /** Fetches from addresses that the operator allows. */
  readonly dial: (url: string, init?: RequestInit) => Promise<Response>;
  readonly signal: AbortSignal;
}

const maxFileBytes = 64 * 1024 * 1024;
const maxDownloadBytes = 512 * 1024 * 1024;

/** Loads the operator's advisories in OSV's format: a folder of JSON files, or a URL of one list. */
export async function loadAdvisories({ dial, signal }: LoadDeps, location: string): Promise<Advisories> {
  const index = new Map<string, Advisory[]>();
  let count = 0;
  const add = (entry: unknown) => {
    for (const [key, advisory] of readEntry(entry)) {
      const known = index.get(key) ?? [];
      known.push(advisory);
      index.set(key, known);
      count += 1;
    }
  };
  const addAll = async (text: string, name: string) => {
    for await (const entry of entriesOf(text, name, signal)) add(entry);
  };
  if (/^https?:\/\//i.test(location)) await addAll(await download(dial, location, signal), "the answer");
  else
    for await (const { path, kind } of walkProjectFiles(location, { signal, leavesOut: (name) => name === ".git" })) {
      if (kind !== "file" || !/\.(?:json|jsonl|ndjson)$/i.test(path)) continue;
      const bytes = await readProjectFile(location, path, { maxBytes: maxFileBytes, signal });
      await addAll(bytes.toString("utf8"), `'${path}'`);
    }
  // An empty folder is a wrong path: it must not look like a project without weaknesses.
  if (count === 0) throw new Error(`no advisory in OSV's format was found at ${location.replace(/\/\/[^/@]*@/, "//")}`);
  return {
    count,
    source: location.replace(/\/\/[^/@]*@/, "//"),
    find: (component) =>
      (index.get(keyOf(component.ecosystem, component.name)) ?? []).filter((one) => isAffected(one, component)),
  };
}

/** What the advisories say of a project's packages. */
export function judgeComponents(
  advisories: Advisories,
  components: readonly Component[],
): (Spotted & { path: string; source: string })[] {
  return components.flatMap((component) =>
    advisories.find(component).map(({ id, summary, severity, affected }) => {
      const fixed = affected
        .flatMap(({ ranges }) => ranges.flat().flatMap((event) => event.fixed ?? []))
        .sort(compareVersions)
        .find((one) => compareVersions(one, component.version ?? "0") > 0);
      return {
        ruleId: `dependencies/${id}`,
        severity,
        line: component.line,
        path: component.path,
        source: `${component.name}@${component.version}`,
        message: `${component.name} ${component.version}: ${summary}`,
        remedy:
          fixed === undefined ? "There is no fixed version: replace the package." : `Use version ${fixed} or later.`,
        scanner: "dependencies" as const,
      };
    }),
  );
}

async function download(dial: LoadDeps["dial"], url: string, signal: AbortSignal): Promise<string> {
  const answer = await dial(url, { signal, headers: { accept: "application/json" } });
  if (!answer.ok || answer.body === null) throw new Error(`the advisories' address answered ${answer.status}`);
  const tooLong = () => new Error(`the advisories are larger than ${maxDownloadBytes} bytes`);
  return readWholeAnswer(answer, { maxBytes: maxDownloadBytes, tooLong });
}

/** One entry, a list of them, an answer of OSV's API, or one entry a line. What was cut off hides weaknesses. */
async function* entriesOf(text: string, name: string, signal: AbortSignal): AsyncGenerator<unknown> {
  const turn = takeTurns(signal);
  const whole = parsed(text);
  if (whole !== undefined) {
    for (const entry of listIn(whole)) {
      await turn();
      yield entry;
    }
    return;
  }
  let number = 0;
  for (const line of text.split("\n")) {
    await turn();
    number += 1;
    if (line.trim() === "") continue;
    const entry = parsed(line);
    if (entry === undefined) throw new Error(`line ${number} of ${name} is no JSON`);
    yield entry;
  }
}

function listIn(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  const { vulns } = (value ?? {}) as { vulns?: unknown };
  return Array.isArray(vulns) ? vulns : [value];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface OsvEntry {
  readonly id?: unknown;
  readonly summary?: unknown;
  readonly details?: unknown;
  readonly withdrawn?: unknown;
  readonly severity?: readonly { readonly type?: unknown; readonly score?: unknown }[];
  readonly database_specific?: { readonly severity?: unknown };
  readonly affected?: readonly {
    readonly package?: { readonly ecosystem?: unknown; readonly name?: unknown };
    readonly versions?: readonly unknown[];
    readonly ranges?: readonly { readonly type?: unknown; readonly events?: readonly Record<string, unknown>[] }[];
  }[];
}

function readEntry(value: unknown): (readonly [key: string, advisory: Advisory])[] {
  const entry = (value ?? {}) as OsvEntry;
  if (typeof entry.id !== "string" || (entry.withdrawn ?? null) !== null) return [];
  const byPackage = new Map<string, Affected[]>();
  for (const { package: named, versions, ranges } of entry.affected ?? []) {
    if (typeof named?.ecosystem !== "string" || typeof named.name !== "string") continue;
    const key = keyOf(named.ecosystem.split(":")[0]!, named.name);
    const affected: Affected = {
      versions: new Set((versions ?? []).map(String)),
      // Ranges of commits say nothing of versions.
      ranges: (ranges ?? []).filter(({ type }) => type !== "GIT").map(({ events }) => (events ?? []).map(readEvent)),
    };
    byPackage.set(key, [...(byPackage.get(key) ?? []), affected]);
  }
  const summary = String(entry.summary ?? entry.details ?? entry.id)
    .replaceAll(/[\x00-\x1f\x7f]+/g, " ")
    .slice(0, 300);
  return [...byPackage].map(
    ([key, affected]) => [key, { id: entry.id as string, summary, severity: severityOf(entry), affected }] as const,
  );
}

function readEvent(event: Record<string, unknown>): RangeEvent {
  const text = (name: string) => (typeof event[name] === "string" ? event[name] : undefined);
  return { introduced: text("introduced"), fixed: text("fixed"), last_affected: text("last_affected") };
}

/** As the database calls it, else by its score; without either, `high`. */
function severityOf({ database_specific: own, severity }: OsvEntry): Severity {
  const word = String(own?.severity ?? "").toLowerCase();
  if (word === "critical" || word === "high" || word === "medium" || word === "low") return word;
  if (word === "moderate") return "medium";
  for (const { score } of severity ?? []) {
    const found = typeof score === "string" ? cvssSeverity(score) : undefined;
    if (found !== undefined) return found;
  }
  return "high";
}

function isAffected({ affected }: Advisory, { version }: Component): boolean {
  if (version === undefined) return false;
  return affected.some(
    ({ versions, ranges }) =>
      versions.has(version) ||
      [...versions].some((one) => compareVersions(one, version) === 0) ||
      ranges.some((events) => isInRange(events, version)),
  );
}

function isInRange(events: readonly RangeEvent[], version: string): boolean {
  let isIn = false;
  const at = (event: RangeEvent) => event.introduced ?? event.fixed ?? event.last_affected ?? "0";
  for (const event of [...events].sort((a, b) => compareVersions(at(a), at(b)))) {
    if (event.introduced !== undefined && compareVersions(version, event.introduced) >= 0) isIn = true;
    if (event.fixed !== undefined && compareVersions(version, event.fixed) >= 0) isIn = false;
    if (event.last_affected !== undefined && compareVersions(version, event.last_affected) > 0) isIn = false;
  }
  return isIn;
}

function keyOf(ecosystem: string, name: string): string {
  const plain = ecosystem === "PyPI" ? name.toLowerCase().replaceAll(/[-_.]+/g, "-") : name;
  return `${ecosystem}:${plain}`;
}
