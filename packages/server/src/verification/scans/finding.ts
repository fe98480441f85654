import type { EvidenceFile } from "../verdict.ts";
import type { Component } from "./dependencies/component.ts";

/** How bad a finding is; docs/reference/security-scan.md says which is which. */
export type Severity = "critical" | "high" | "medium" | "low";

/** From the worst on. */
export const severities: readonly Severity[] = ["critical", "high", "medium", "low"];

/** What looks for findings. */
export type ScannerName = "secrets" | "code" | "python" | "containers" | "shell" | "dependencies";

/** What a rule of a scanner says of one place in a file, before the file and its waivers are known. */
export interface Spotted {
  readonly ruleId: string;
  readonly severity: Severity;
  /** From 1. */
  readonly line: number;
  /** Never holds a secret's value. */
  readonly message: string;
  readonly remedy: string;
  readonly scanner: ScannerName;
}

/** A weakness of the project, where it is and what to do about it. */
export interface Finding extends Spotted {
  /** From the project's folder. */
  readonly path: string;
  /** The same for the same weakness in the next scan, even if lines move. */
  readonly fingerprint: string;
  /** The document's waiver that covers it. */
  readonly waiver?: Waiver;
}

/** What a document's `guardrails.security_waivers` says of a finding. */
export interface Waiver {
  readonly rule: string;
  /** A file, or a folder that ends with a slash. */
  readonly path: string;
  readonly reason: string;
  /** The last day on which it counts, as `2027-01-31`. */
  readonly expires: string;
}

/** A comment that asks scanners to look away. Agents write files, so none of these counts by itself. */
export interface IgnoredComment {
  readonly path: string;
  readonly line: number;
  /** Such as `eslint-disable`. */
  readonly marker: string;
}

/** A file, or a part of it, that no rule has read. */
export interface Unscanned {
  readonly path: string;
  readonly reason: string;
}

/** Why rules cannot read data, such as a database or a model: there is no code in it. */
export const dataOnly = "is not text: only secrets were looked for";

/** What became of a scanner. */
export interface ScannerState {
  readonly scanner: ScannerName;
  /** `nothing_to_scan`: the project has no such files. */
  readonly state: "scanned" | "not_scanned" | "nothing_to_scan";
  readonly files: number;
  /** Why it did not scan, or with what it did. */
  readonly reason: string;
}

/** A line that the linter complains about. */
export interface LintProblem {
  readonly path: string;
  readonly line: number;
  readonly ruleId: string;
  readonly message: string;
}

/** What a check that only some documents ask for found out. */
type Asked<T> =
  | {
      readonly is: "done";
      readonly problems: readonly T[];
      readonly files: number;
      /** Files that it should have read, and could not. */
      readonly unread: readonly Unscanned[];
    }
  | { readonly is: "not_done"; readonly reason: string };

/** All that a scan found. */
export interface ScanResult {
  /** The worst first, and those with a waiver after all others. */
  readonly findings: readonly Finding[];
  /** Findings beyond the number that a report holds. */
  readonly leftOut: number;
  readonly scanners: readonly ScannerState[];
  /** At most a thousand; `unscannedCount` counts all. */
  readonly unscanned: readonly Unscanned[];
  readonly unscannedCount: number;
  readonly ignoredComments: readonly IgnoredComment[];
  /** Waivers of the document whose last day is over. */
  readonly expiredWaivers: readonly Waiver[];
  /** What the project takes from others. */
  readonly components: readonly Component[];
  /** Lockfiles and manifests whose packages are not among the components, all of them. */
  readonly unlisted: readonly Unscanned[];
  readonly lint: Asked<LintProblem>;
  readonly files: number;
  readonly lines: number;
  readonly durationMs: number;
  readonly evidence: readonly EvidenceFile[];
  /** What a person reads of it. */
  readonly log: string;
}
