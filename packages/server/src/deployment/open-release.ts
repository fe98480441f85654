import type { CompleteSpec } from "@slipway/spec";
import type { OutputLog } from "../platform/log/index.ts";
import type { ServiceToRun } from "./plan-release.ts";
import type { PublishedRelease } from "./releases/index.ts";
import type { BroughtLive, StoredFile } from "./went-live.ts";

/** A version whose files are being made. */
export interface OpenRelease {
  readonly deploymentId: string;
  readonly releaseId: string;
  readonly version: string;
  readonly folder: string;
  /** The stable path that will lead to it. */
  readonly current: string;
  /** It is live already: an earlier attempt got that far. */
  readonly live: BroughtLive | undefined;
}

export interface ToGoLive {
  readonly projectId: string;
  readonly document: CompleteSpec;
  readonly environment: string;
  readonly scripts: Readonly<Partial<Record<"deploy" | "start" | "migrate" | "health_check" | "rollback", string>>>;
  readonly services: readonly ServiceToRun[];
  /** What it is, if it is not reached over HTTP by its own means. */
  readonly published: PublishedRelease | undefined;
  /** What is stored of its files. */
  readonly files: readonly StoredFile[];
  /** When its files began to be made, by `performance.now()`. */
  readonly beganAtMs: number;
  readonly secrets: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly openLog: (source: string) => OutputLog;
}

/** What is live: its version and address; the address is empty for what is not reached over HTTP. */
export interface LiveDeployment {
  readonly version: string;
  readonly url: string;
  /** How to use it, in one line. */
  readonly usage: string;
}
