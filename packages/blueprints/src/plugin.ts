import type { AcceptanceLine, CompleteSpec, JsonSchema, OfferedTask } from "@slipway/spec";

/** What a plugin package exports. The built-in outcome types are plugins of this interface and use nothing else. */
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
  /** In which languages it can be built, the usual one first. */
  readonly languages: readonly string[];
  /** Further keys of a document of this type: an object schema, of the keywords that documents are checked with. */
  readonly schema?: JsonSchema;
  /** What `acceptance` and `stack` hold where the document says nothing. */
  readonly acceptance_defaults?: Readonly<Record<string, unknown>>;
  readonly stack_defaults?: Readonly<Record<string, unknown>>;
  /** How the document is carried out: what a plan would say of it. Pure: the same document always gives the same. */
  plan(document: CompleteSpec): OutcomePlan;
  /** Does one task. Together, in whatever order, the tasks of a plan build the whole; the same document gives the same bytes. */
  build(task: BuildTask, workspace: BuildWorkspace): void | Promise<void>;
  /** Looks at the finished result beyond the document's acceptance, in its folder; what is not met fails the project. */
  checks?(workspace: BuildWorkspace): readonly CheckVerdict[] | Promise<readonly CheckVerdict[]>;
}

export interface OutcomePlan {
  /** How the result is built, tested and started; the document's own scripts win. */
  readonly scripts: Scripts;
  /** What of the document cannot be honoured, said before anything is built. */
  readonly unmet: readonly Unmet[];
  /**
   * How the work is broken down, where the document names no phases, tasks or services itself; one task that does it all
   * if absent. Each must change something of its own.
   */
  readonly tasks?: readonly OfferedTask[];
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
  /** As a text; nothing if there is no such file. */
  read(path: string): Promise<string | undefined>;
  write(path: string, content: string | Uint8Array, options?: { readonly isExecutable?: boolean }): Promise<void>;
}

/** What was looked at, and whether it is as it must be. */
export interface CheckVerdict {
  readonly title: string;
  readonly is_met: boolean;
  readonly reason?: string;
}

/** Answers for what documents say in `acceptance` under a key of this name. */
interface AcceptanceCheckKind {
  readonly name: string;
  check(value: unknown, workspace: BuildWorkspace): CheckVerdict | Promise<CheckVerdict>;
}

/** A kind of file that results may hold: those under the paths are kept as artifacts once the result is accepted. */
export interface ArtifactType {
  readonly name: string;
  readonly description?: string;
  /** Paths in the result, with `*` and `**`. */
  readonly paths?: readonly string[];
}

/** Where secrets are kept. */
interface SecretProviderKind {
  readonly name: string;
  /** Nothing if there is none of that name; `config` is `secrets.config` of the document. */
  read(secret: string, config: unknown): string | undefined | Promise<string | undefined>;
}

/** A kind of agent: does one task in the workspace. */
interface AgentDriverKind {
  readonly name: string;
  start(task: BuildTask & { readonly role: string }, workspace: BuildWorkspace): void | Promise<void>;
}
