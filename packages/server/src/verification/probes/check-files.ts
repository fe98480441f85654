import type { AcceptanceLine, CompleteSpec } from "@slipway/spec";
import { count } from "../../platform/count.ts";
import { FileRefusal, listProjectFolder } from "../../platform/project-files/index.ts";
import { type Json, readManifest } from "../scripts/read-json.ts";
import type { LineVerdict } from "../verdict.ts";
import { packageSize } from "./package-size.ts";

interface ToCheck {
  readonly document: CompleteSpec;
  readonly folder: string;
  readonly signal: AbortSignal;
}

type Judged = Omit<LineVerdict, "pointer">;
type Judge = (toCheck: ToCheck, value: unknown) => Promise<Judged | undefined>;

/** The named checks that a project's files answer; undefined where a value cannot be understood. */
type Judges = Readonly<Record<string, Judge>>;

const ofFiles: Judges = { files_exist: judgeFiles };
const ofPackage: Judges = { runtime_dependencies_max: judgeDependencies, package_size_max_kb: judgeSize };

/** Checks which files a result has, after its commands made theirs. */
export function checkFiles(toCheck: ToCheck, lines: readonly AcceptanceLine[]): Promise<readonly LineVerdict[]> {
  return judgeBy(ofFiles, toCheck, lines);
}

/** Checks what is published of a result: as its build has left it, for no other program of it runs before that. */
export function checkPackage(toCheck: ToCheck, lines: readonly AcceptanceLine[]): Promise<readonly LineVerdict[]> {
  return judgeBy(ofPackage, toCheck, lines);
}

async function judgeBy(
  judges: Judges,
  toCheck: ToCheck,
  lines: readonly AcceptanceLine[],
): Promise<readonly LineVerdict[]> {
  const verdicts: LineVerdict[] = [];
  for (const { pointer, check } of lines) {
    if (check.kind !== "named" || check.command !== undefined || !Object.hasOwn(judges, check.name)) continue;
    const judged = await judges[check.name]!(toCheck, check.value);
    if (judged !== undefined) verdicts.push({ pointer, ...judged });
  }
  return verdicts;
}

const maxShown = 10;

async function judgeFiles({ folder, signal }: ToCheck, value: unknown): Promise<Judged | undefined> {
  if (!isFilesExist(value)) return undefined;
  const missing: string[] = [];
  for (const path of value) if (!(await isThere(folder, path, signal))) missing.push(path);
  if (missing.length === 0) return { verdict: "passed", reason: `All ${value.length} are there.` };
  const more = missing.length > maxShown ? ` and ${missing.length - maxShown} more` : "";
  return { verdict: "failed", reason: `Not there: ${missing.slice(0, maxShown).join(", ")}${more}.` };
}

/** Whether a value of `files_exist` can be checked. */
export function isFilesExist(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((path) => typeof path === "string");
}

/** A link is not what it leads to: that may be outside, or nowhere. */
async function isThere(folder: string, path: string, signal: AbortSignal): Promise<boolean> {
  const parts = path.replace(/^\.\//, "").replace(/\/$/, "").split("/");
  try {
    const entries = await listProjectFolder(folder, parts.slice(0, -1).join("/") || ".", {
      skipsOddNames: true,
      signal,
    });
    return entries.some(({ name, kind }) => name === parts.at(-1) && (kind === "file" || kind === "folder"));
  } catch (error) {
    if (error instanceof FileRefusal) return false;
    throw error;
  }
}

async function judgeDependencies(toCheck: ToCheck, value: unknown): Promise<Judged | undefined> {
  if (typeof value !== "number") return undefined;
  const manifest = await manifestOf(toCheck);
  if (typeof manifest === "string") return { verdict: "not_checked", reason: manifest };
  // Whoever installs the package gets all of these.
  const kinds = ["dependencies", "optionalDependencies", "peerDependencies"];
  const names = [...new Set(kinds.flatMap((kind) => Object.keys(Object(manifest[kind]))))];
  const shown = names.length === 0 ? "" : ` (${names.slice(0, maxShown).join(", ")})`;
  const reason = `package.json names ${count(names.length, "runtime dependency", "runtime dependencies")}${shown}, asked for at most ${value}.`;
  const measured = [{ name: "runtime_dependencies", value: names.length, unit: "count" }] as const;
  return { verdict: names.length <= value ? "passed" : "failed", reason, measured };
}

async function judgeSize(toCheck: ToCheck, value: unknown): Promise<Judged | undefined> {
  if (typeof value !== "number") return undefined;
  const unknown = (reason: string): Judged => ({ verdict: "not_checked", reason });
  if (toCheck.document.outcome_type !== "library")
    return unknown(`Nobody here knows what is packed of a result of type '${toCheck.document.outcome_type}'.`);
  const manifest = await manifestOf(toCheck);
  if (typeof manifest === "string") return unknown(manifest);
  const size = await packageSize(toCheck, manifest);
  if (typeof size === "string") return unknown(size);
  const { bytes, files, isUpperBound } = size;
  const kb = Math.round((bytes / 1024) * 100) / 100;
  const reason = `The package is ${isUpperBound ? "at most " : ""}${kb} KB in ${files} files, asked for at most ${value} KB.`;
  const measured = [{ name: "package_size", value: bytes, unit: "bytes" }] as const;
  if (bytes <= value * 1024) return { verdict: "passed", reason, measured };
  return isUpperBound
    ? unknown(`${reason} package.json does not say by 'files' what is packed.`)
    : { verdict: "failed", reason, measured };
}

const otherManifests = ["pyproject.toml", "setup.py", "requirements.txt", "go.mod", "Cargo.toml", "Gemfile", "pom.xml"];

/** The result's package.json, if that alone says what the package is; or why nothing can be told. */
async function manifestOf({ folder, signal }: ToCheck): Promise<Json | string> {
  const entries = await listProjectFolder(folder, ".", { skipsOddNames: true, signal });
  const other = entries.find(({ name }) => otherManifests.includes(name));
  if (other !== undefined) return `Nobody here reads ${other.name} for this.`;
  try {
    const manifest = await readManifest(folder, signal);
    return manifest ?? "The result has no package.json that can be read.";
  } catch (error) {
    if (error instanceof FileRefusal) return `package.json cannot be read: ${error.message}`;
    throw error;
  }
}
