/** What is said of a line of the document. What nobody checked is never `passed`. */
export type Verdict = "passed" | "failed" | "not_checked" | "waived";

/** Who has answered for a line. */
export interface Answerer {
  readonly by: "service" | "plugin" | "agent" | "person";
  readonly id?: string;
  readonly name?: string;
  /** An agent's kind. */
  readonly kind?: string;
}

/** A number that a check took. */
export interface Measured {
  readonly name: string;
  readonly value: number;
  readonly unit: "ms" | "bytes" | "per second" | "share" | "count";
}

/** The verdict on a line, and what proves it. */
export interface LineVerdict {
  /** The line, as a JSON Pointer into the resolved document. */
  readonly pointer: string;
  readonly verdict: Verdict;
  /** Why it failed and what to mend, why nobody checked it, or what was measured. */
  readonly reason: string;
  readonly durationMs?: number;
  /** Paths of the artifacts that show it. */
  readonly evidence?: readonly string[];
  /** Undefined: the service itself. */
  readonly answeredBy?: Answerer;
  readonly measured?: readonly Measured[];
}

/** Where the evidence is among the artifacts; nobody but the service puts anything there. */
export const evidenceFolder = "verification/";

/** A file that a check makes; it becomes an artifact of the project. */
export interface EvidenceFile {
  readonly type:
    | "test_results"
    | "coverage"
    | "security_scan"
    | "sbom"
    | "performance_report"
    | "acceptance_report"
    | "judgement";
  readonly path: string;
  readonly mediaType: string;
  readonly text: string;
}

/** A file that is no text, such as a picture. */
export interface EvidenceBytes extends Omit<EvidenceFile, "text"> {
  readonly bytes: Uint8Array;
}
