import type { AcceptanceLine, CompleteSpec } from "@slipway/spec";

/** What a plugin package exports. The built-in outcome types are plugins of this interface and use nothing else. */
export interface Plugin {
  readonly api_version: "v1";
  readonly name: string;
  readonly version: string;
  readonly outcome_types: readonly OutcomeType[];
}

/** A kind of software that can be built. */
export interface OutcomeType {
  readonly name: string;
  /** In which languages it can be built, the usual one first. */
  readonly languages: readonly string[];
  /** How the document is carried out: what a plan would say of it. Pure: the same document always gives the same. */
  plan(document: CompleteSpec): OutcomePlan;
  /** Does one task. Together, in whatever order, the tasks of a plan build the whole; the same document gives the same bytes. */
  build(task: BuildTask, workspace: BuildWorkspace): void | Promise<void>;
}

export interface OutcomePlan {
  /** How the result is built, tested and started; the document's own scripts win. */
  readonly scripts: Scripts;
  /** What of the document cannot be honoured, said before anything is built. */
  readonly unmet: readonly Unmet[];
}

export type Scripts = Readonly<Partial<Record<"build" | "test" | "start" | "health_check", string>>>;

export interface Unmet {
  /** Where the document asks for it: a JSON Pointer. */
  readonly pointer: string;
  readonly reason: string;
}

/** A task of the plan, with the lines of acceptance that it is to serve. */
export interface BuildTask {
  readonly id: string;
  readonly title: string;
  readonly description?: string;
  readonly phase: string;
  readonly lines: readonly AcceptanceLine[];
}

/** Where a task is done: the document, and the files as they are. */
export interface BuildWorkspace {
  readonly document: CompleteSpec;
  /** Nothing if there is no such file. */
  read(path: string): Promise<string | undefined>;
  write(path: string, text: string, options?: { readonly isExecutable?: boolean }): Promise<void>;
}
