import type { BuildTask, OutcomePlan } from "@slipway/blueprints";
import { acceptanceLines, type CompleteSpec, isReview, planWork, writeTaskBreakdown } from "@slipway/spec";
import { PluginFailure, type Plugins } from "../../../platform/plugins/index.ts";
import {
  FileRefusal,
  readProjectFile,
  resolveInside,
  writeProjectFile,
} from "../../../platform/project-files/index.ts";
import type { AgentDriver, AgentReport, AgentWork } from "../driver.ts";
import { failed } from "../failed-report.ts";
import { type FunctionWork, functionDriver } from "../function-driver.ts";
import { type BuiltFile, OutcomeTypes } from "./outcome-types.ts";

/** One for the whole process: its threads start with the first document, and end when none comes. */
const builtIn = new OutcomeTypes();

/**
 * The agent that every installation has: it builds by rule, without a model or a network. It plans as the document or its
 * outcome type says; the engine itself verifies and deploys.
 */
export const blueprintDriver = blueprintDriverWith(undefined);

/** The same driver, which also builds the outcome types of plugins. */
export function blueprintDriverWith(plugins: Pick<Plugins, "build" | "plan"> | undefined): AgentDriver {
  const driver = functionDriver("blueprint", (work) =>
    reporting(() => {
      if (isReview(work.task)) return Promise.resolve(cannotReview(work.task.role));
      return work.task.role === "planner" ? plan(work, plugins) : build(work, plugins);
    }),
  );
  return {
    ...driver,
    generate: (work, tasks, signal) =>
      reporting(async () => {
        for (const task of tasks) {
          signal.throwIfAborted();
          const report = await build({ ...work, task, signal }, plugins);
          if (report.is === "failed") return report;
        }
        return { is: "done" };
      }),
    findUnmet: async (document) => {
      const outcome = await outcomeOf(plugins, document).catch((error: unknown) => {
        // The result is there: what a plugin cannot say of it is no reason to refuse it.
        if (error instanceof PluginFailure) return undefined;
        throw error;
      });
      return outcome?.unmet ?? [];
    },
  };
}

/** Turns the failure of a plugin into a report. */
async function reporting(work: () => Promise<AgentReport>): Promise<AgentReport> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof PluginFailure)) throw error;
    return failed("plugin_failed", error.message);
  }
}

async function plan({ document }: FunctionWork, plugins: Pick<Plugins, "plan"> | undefined): Promise<AgentReport> {
  const { tasks = [] } = (await outcomeOf(plugins, document)) ?? {};
  return tasks.length === 0 ? { is: "done" } : { is: "done", breakdown: writeTaskBreakdown(planWork(document, tasks)) };
}

/** What the built-in agent or a plugin would build; undefined if neither can. */
export async function outcomeOf(
  plugins: Pick<Plugins, "plan"> | undefined,
  document: CompleteSpec,
): Promise<OutcomePlan | undefined> {
  return (await builtIn.plan(document)) ?? plugins?.plan(document);
}

type BuildWork = Pick<FunctionWork, "document" | "folder" | "task" | "signal">;

async function build(work: BuildWork, plugins: Pick<Plugins, "build"> | undefined): Promise<AgentReport> {
  const { document, folder, signal } = work;
  const task = buildTask(work);
  const files = await builtIn.build(document, task, signal);
  if (files !== undefined) await writeFiles(folder, files);
  else if (!(await plugins?.build(document, { task, folder, signal }))) return noBlueprint(document.outcome_type);
  return { is: "done" };
}

/** Rules can build, but not judge: to say "accepted" without having looked would be a lie. */
function cannotReview(role: string): AgentReport {
  return failed(
    "cannot_review",
    `The built-in agent cannot act as '${role}'. Declare an agent that offers this role, or take it out of requirements.agents.`,
  );
}

function noBlueprint(type: string): AgentReport {
  return failed("cannot_build", `There is no blueprint for '${type}'.`);
}

export function buildTask({ task, document }: Pick<AgentWork, "task" | "document">): BuildTask {
  const { id, title, description, phase } = task;
  const serves = new Set(task.serves);
  const lines = acceptanceLines(document).filter(({ pointer }) => serves.has(pointer));
  return { id, title, phase, lines, ...(description !== undefined && { description }) };
}

/** More than any file of a blueprint has. */
const maxBytes = 16 * 1024 * 1024;

/** Refuses links that lead out of the folder: an agent that worked there before may have made them. */
async function writeFiles(folder: string, files: readonly BuiltFile[]): Promise<void> {
  for (const { path, content, isExecutable } of files) {
    const place = await resolveInside(folder, path);
    if (!(await hasContent(folder, place, content))) await writeProjectFile(folder, place, content, { isExecutable });
  }
}

async function hasContent(folder: string, path: string, content: string | Uint8Array): Promise<boolean> {
  try {
    return (await readProjectFile(folder, path, { maxBytes })).equals(Buffer.from(content as string));
  } catch (error) {
    if (error instanceof FileRefusal && error.code === "missing") return false;
    throw error;
  }
}
