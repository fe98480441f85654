import type { CompleteSpec } from "@slipway/spec";
import type { Plugins } from "../../platform/plugins/index.ts";
import type { Attempt, AttemptContext } from "../lifecycle/index.ts";
import type { MaskedLog } from "../logs/index.ts";
import type { TaskWorkspace } from "./task-workspace.ts";

/** What the steps ask of plugins. */
export type StepPlugins = Pick<Plugins, "plan" | "check" | "checkNames" | "artifactTypes">;

/** What each step of a task works on. */
export interface StepInput {
  readonly attempt: Attempt;
  readonly context: AttemptContext;
  /** The project's document, resolved for its environment. */
  readonly document: CompleteSpec;
  /** The document's secrets by name, as the programs of the step get them. */
  readonly secrets: Readonly<Record<string, string>>;
  /** The same with those that only the deployed software gets: they must not get into files either. */
  readonly allSecrets: Readonly<Record<string, string>>;
  readonly workspace: TaskWorkspace;
  /** Opens a log for one program of the task; secrets are masked in it. */
  readonly openLog: (source: string) => MaskedLog;
}
