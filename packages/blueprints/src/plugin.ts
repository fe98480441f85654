import type { AcceptanceLine, CompleteSpec, JsonSchema, OfferedTask } from "@slipway/spec";

/** What a plugin package exports. The built-in outcome types are plugins of this interface and use nothing else. */
export interface Plugin {
  readonly api_version: "v1";
  readonly name: string;
  readonly version: string;
  readonly outcome_types: readonly OutcomeType[];
  /** Checked for their shape; they have no effect yet. */
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
  /** Looks at the result beyond the document's acceptance; it has no effect yet. */
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

interface CheckVerdict {
  readonly title: string;
  readonly is_met: boolean;
  readonly reason?: string;
}

/** Answers for lines of `acceptance` under a name of its own. */
interface AcceptanceCheckKind {
  readonly name: string;
  check(line: unknown, workspace: BuildWorkspace): CheckVerdict | Promise<CheckVerdict>;
}

/** A kind of file that results may hold. */
interface ArtifactType {
  readonly name: string;
  readonly description?: string;
}

/** Where secrets are kept. */
interface SecretProviderKind {
  readonly name: string;
  /** Nothing if there is none of that name. */
  read(secret: string): string | undefined | Promise<string | undefined>;
}

/** How agents of another kind are given work. */
interface AgentDriverKind {
  readonly name: string;
  start(task: BuildTask, workspace: BuildWorkspace): void | Promise<void>;
}
