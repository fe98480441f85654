import type { CompleteSpec } from "@slipway/spec";
import type { ProcessLimits, Sandbox } from "../../platform/sandbox/index.ts";

/** What a result is once it is live. */
type ReleaseKind = "server" | "package" | "command" | "model" | "site" | "bundle";

export interface PublishDeps {
  readonly sandbox: Pick<Sandbox, "runCommand">;
}

export interface ReleaseToPublish {
  readonly document: CompleteSpec;
  /** The release's folder: a checkout of the result, built already. */
  readonly folder: string;
  /** The absolute path that will lead to the release; people find it in the line that says how to use it. */
  readonly current: string;
  /** What the programs that pack the result may use. */
  readonly limits: ProcessLimits;
  /** How long each of them may take. */
  readonly limitMs: number;
  readonly signal: AbortSignal;
  /** The document's secrets by name: a release that holds one of their values is refused. */
  readonly secrets?: Readonly<Record<string, string>>;
  /** Called with the output of the programs. */
  readonly onOutput?: (text: string) => void;
}

/** A file of a release that is kept as an artifact. */
interface ReleaseFile {
  /** From the release's folder on. */
  readonly path: string;
  /** The artifact's type. */
  readonly type: "package" | "bundle";
}

export interface PublishedRelease {
  readonly kind: ReleaseKind;
  /** How to use it, in one line for a shell that works as typed; empty for a server and a site, which have an address. */
  readonly usage: string;
  readonly files: readonly ReleaseFile[];
  /** For a site: the command that serves it on `HOST` and `PORT`, in the release's folder. */
  readonly start?: string;
}

export interface PublishFailure {
  readonly failure: string;
  /** What the program wrote that failed, masked. */
  readonly output: string;
}

/** What one way of publishing comes to: undefined if the result is not of its kind. */
type Attempt = PublishedRelease | PublishFailure | undefined;

/** One way of publishing a result. */
export type Publish = (deps: PublishDeps, release: ReleaseToPublish) => Promise<Attempt>;
