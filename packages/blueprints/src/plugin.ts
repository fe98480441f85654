import type { AcceptanceLine, CompleteSpec, JsonSchema, OfferedTask } from "@slipway/spec";

/** What a plugin package exports. The built-in outcome types use the same interface. */
export interface Plugin {
  readonly api_version: "v1";
  readonly name: string;
  readonly version: string;
  readonly outcome_types: readonly OutcomeType[];
  readonly acceptance_checks?: readonly AcceptanceCheckKind[];
  readonly artifact_types?: readonly ArtifactType[];
  readonly secret_providers?: readonly SecretProviderKind[];
  readonly agent_drivers?: readonly AgentDriverKind[];
}

/** A kind of software that can be built. */
export interface OutcomeType {
  readonly name: string;
  /** The languages it can be built in, the default first. */
  readonly languages: readonly string[];
  /** Schema of the document keys that this type adds: an object schema with supported keywords only. */
  readonly schema?: JsonSchema;
  /** Defaults for `acceptance` and `stack`. */
  readonly acceptance_defaults?: Readonly<Record<string, unknown>>;
  readonly stack_defaults?: Readonly<Record<string, unknown>>;
  /** Plans a document. Pure: the same document always gives the same plan. */
  plan(document: CompleteSpec): OutcomePlan;
  /** Does one task. All tasks of a plan, in any order, build the whole; the same document gives the same bytes. */
  build(task: BuildTask, workspace: BuildWorkspace): void | Promise<void>;
  /** Checks the finished result beyond the document's acceptance. An unmet check fails the project. */
  checks?(workspace: BuildWorkspace): readonly CheckVerdict[] | Promise<readonly CheckVerdict[]>;
}

export interface OutcomePlan {
  /** How to build, test and start the result. The document's own scripts take precedence. */
  readonly scripts: Scripts;
  /** What of the document the result will not honour, known before anything is built. */
  readonly unmet: readonly Unmet[];
  /**
   * The tasks for a document that names no phases, tasks or services itself; a single task if absent. Each task
   * must change something.
   */
  readonly tasks?: readonly OfferedTask[];
}

export type Scripts = Readonly<Partial<Record<"build" | "test" | "start" | "health_check", string>>>;

export interface Unmet {
  /** JSON Pointer to what the document asks for. */
  readonly pointer: string;
  readonly reason: string;
}

/** A task of the plan, with the acceptance lines that it serves. */
export interface BuildTask {
  readonly id: string;
  readonly title: string;
  readonly description?: string;
  readonly phase: string;
  readonly lines: readonly AcceptanceLine[];
}

/** Where a task runs: the document, and the current files. */
export interface BuildWorkspace {
  readonly document: CompleteSpec;
  /** The file as a string; undefined if it does not exist. */
  read(path: string): Promise<string | undefined>;
  write(path: string, content: string | Uint8Array, options?: { readonly isExecutable?: boolean }): Promise<void>;
}

/** The result of one check. */
export interface CheckVerdict {
  readonly title: string;
  readonly is_met: boolean;
  readonly reason?: string;
}

/** Checks what documents say in `acceptance` under a key of this name. */
interface AcceptanceCheckKind {
  readonly name: string;
  check(value: unknown, workspace: BuildWorkspace): CheckVerdict | Promise<CheckVerdict>;
}

/** A kind of artifact: the result's files under these paths are stored as artifacts once the result is accepted. */
export interface ArtifactType {
  readonly name: string;
  readonly description?: string;
  /** Paths in the result, with `*` and `**`. */
  readonly paths?: readonly string[];
}

/** A source of secrets. */
interface SecretProviderKind {
  readonly name: string;
  /** Undefined if the secret does not exist; `config` is `secrets.config` of the document. */
  read(secret: string, config: unknown): string | undefined | Promise<string | undefined>;
}

/** A kind of agent, which does one task in the workspace. */
interface AgentDriverKind {
  readonly name: string;
  start(task: BuildTask & { readonly role: string }, workspace: BuildWorkspace): void | Promise<void>;
}
