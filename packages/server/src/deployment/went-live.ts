import type { RenderedFile } from "./find-target.ts";
import type { LiveDeployment } from "./open-release.ts";

/** What happened on the way to a version that is live, or not. */
export interface DeploymentReport {
  readonly deployment_id: string;
  readonly release_id: string;
  readonly environment: string;
  readonly version: string;
  readonly previous_version: string | null;
  readonly strategy: string;
  readonly is_live: boolean;
  readonly error: string | null;
  readonly steps: readonly { readonly at_ms: number; readonly what: string }[];
  /** How long nothing answered between the two versions. */
  readonly unserved_ms: number;
  /** Requests during the change, of all versions; null: they go to a target elsewhere, or where a script leads them. */
  readonly requests: { readonly total: number; readonly failed: number; readonly dropped: number } | null;
}

/** A file of a version that was stored before anything of it ran. */
export interface StoredFile {
  readonly type: string;
  readonly path: string;
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

/** All that is to be told of how a version went live. It is noted with that, so that a killed service can tell it later. */
export interface WentLive {
  readonly report: DeploymentReport;
  /** Files that were made for it. */
  readonly rendered: readonly RenderedFile[];
  readonly files: readonly StoredFile[];
  /** Since its files began to be made. */
  readonly tookMs: number;
}

/** A version that is live. */
export interface BroughtLive {
  readonly deployment: LiveDeployment;
  /** Undefined of one that went live before that was noted. */
  readonly wentLive: WentLive | undefined;
}
