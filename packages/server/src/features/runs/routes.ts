import { findAgent, hasAll } from "../../agents/index.ts";
import { selectJobsOf } from "../../engine/jobs/index.ts";
import {
  type Command,
  type CommitDeps,
  type CommitResult,
  commandRun,
  findCheckpoint,
  type Rules,
  readPlan,
  readRun,
} from "../../engine/lifecycle/index.ts";
import type { Database, Transaction } from "../../platform/database/index.ts";
import { Refusal } from "../../platform/errors/index.ts";
import {
  type Answer,
  type Call,
  type Handlers,
  type Principal,
  pageOf,
  pageRequest,
  type Transact,
} from "../../platform/http/index.ts";
import { recordChange } from "../audit/index.ts";
import { findProject, requireOwn, requireReadable, showProject, versionOf } from "../projects/index.ts";
import { showCheckpoint, showPhases, showTask } from "./show-run.ts";
import { deleteFailedProject, selectAttempts, selectCheckpoints, selectUsage, sumUsage } from "./store.ts";

interface Deps extends CommitDeps {
  readonly db: Database;
  readonly transact: Transact;
  /** What the document says about how its project is carried out. */
  readonly findRules: (projectId: string) => Promise<Rules>;
  /** After a run was told something, and that was committed. */
  readonly onCommit: (result: CommitResult) => void;
  /** After a project was deleted. */
  readonly onDeleted: (projectId: string) => void;
}

type RunHandlers = Pick<
  Handlers,
  | "listPhases"
  | "listTasks"
  | "listCheckpoints"
  | "cancelProject"
  | "pauseProject"
  | "resumeProject"
  | "restartProject"
  | "rollbackProject"
  | "retryTask"
  | "startDebugging"
  | "stepDebugging"
  | "continueDebugging"
  | "stopDebugging"
  | "deleteProject"
  | "assignAgent"
>;

type ProjectCall = Pick<Call, "request"> & {
  readonly params: { readonly project_id: string };
  readonly principal: Principal;
};

/** Reading how a project is carried out, and taking a hand in it. */
export function runRoutes(parts: Deps): RunHandlers {
  const { db, clock, plans, transact } = parts;

  const command = (call: ProjectCall, make: () => Command | Promise<Command>) => giveCommand(parts, call, make);
  const debug = (name: "start" | "step" | "continue" | "stop") => (call: ProjectCall) =>
    command(call, () => ({ type: "debug", command: name }));

  return {
    listPhases: async ({ params, principal }) => {
      const row = await requireReadable(db, params.project_id, principal);
      const found = await readRun(db, plans, params.project_id);
      const phases = found === undefined ? [] : showPhases(found.run, found.state);
      return { status: 200, body: { phases }, version: versionOf(row) };
    },

    listTasks: async ({ params, principal, query }) => {
      await requireReadable(db, params.project_id, principal);
      const page = pageRequest(query, /^\d{1,9}$/);
      const found = await readRun(db, plans, params.project_id);
      const usage = await sumUsage(db, params.project_id);
      if (found === undefined) return { status: 200, body: { tasks: [], next_cursor: null, usage } };
      const { run, state } = found;
      const start = Number(page.after ?? 0);
      const planned = run.plan.plan.tasks
        .slice(start, start + page.limit + 1)
        .map((task, at) => ({ task, at: start + at + 1 }));
      const { items, nextCursor } = pageOf(planned, page, ({ at }) => String(at));
      const ids = items.map(({ task }) => task.id);
      const [jobs, attempts, used] = await Promise.all([
        selectJobsOf(db, params.project_id),
        selectAttempts(db, params.project_id, ids),
        selectUsage(db, params.project_id, ids),
      ]);
      const tasks = items.map(({ task }) =>
        showTask(
          task,
          state,
          jobs,
          attempts.filter(({ task_id }) => task_id === task.id),
          used.filter(({ task_id }) => task_id === task.id),
        ),
      );
      return { status: 200, body: { tasks, next_cursor: nextCursor, usage } };
    },

    listCheckpoints: async ({ params, principal, query }) => {
      await requireReadable(db, params.project_id, principal);
      const page = pageRequest(query, /^ckpt_/);
      const { items, nextCursor } = pageOf(await selectCheckpoints(db, params.project_id, page), page, ({ id }) => id);
      return { status: 200, body: { checkpoints: items.map(showCheckpoint), next_cursor: nextCursor } };
    },

    cancelProject: (call) => command(call, () => ({ type: "cancel" })),
    pauseProject: (call) => command(call, () => ({ type: "pause" })),
    resumeProject: (call) => command(call, () => ({ type: "resume" })),
    restartProject: (call) => command(call, () => ({ type: "restart", fromPhase: call.body.from_phase })),
    retryTask: (call) =>
      command(call, () => ({
        type: "retry",
        taskId: call.body.task_id,
        downstream: call.body.downstream ?? false,
      })),
    rollbackProject: (call) => command(call, () => rollback(db, call.params.project_id, call.body.checkpoint)),
    startDebugging: debug("start"),
    stepDebugging: debug("step"),
    continueDebugging: debug("continue"),
    stopDebugging: debug("stop"),

    deleteProject: async (call) => {
      const { id, status } = await requireOwn(db, call.params.project_id, call.principal);
      const answer = await transact(call, async (trx) => {
        if (!(await deleteFailedProject(trx, id)))
          throw new Refusal("conflict", `Only a project that has failed can be deleted; this one is in ${status}.`);
        await recordChange(trx, clock, call, { action: "project.delete", target: id });
        return { status: 204 };
      });
      parts.onDeleted(id);
      return answer;
    },

    assignAgent: async (call) => {
      const { id } = await requireOwn(db, call.params.project_id, call.principal);
      const { role } = call.params;
      const { agent_id, capabilities = [], priority = "medium" } = call.body;
      const agent = await findAgent(db, agent_id);
      if (agent === undefined) throw new Refusal("not_found", `There is no agent ${agent_id}.`);
      const { roles } = (await readRun(db, plans, id))?.run.rules ?? (await parts.findRules(id));
      const asked = Object.hasOwn(roles, role) ? roles[role]!.capabilities : [];
      const wanted = [...new Set([...capabilities, ...asked])];
      if (!hasAll(agent.capabilities, wanted))
        throw new Refusal("no_agents_available", `No agents available with capabilities: [${wanted.join(", ")}]`);
      const reassignRunning = call.query.reassign_running ?? false;
      const assigned_at = clock.now().toISOString();
      return change(parts, call, "project.assign_agent", { role, agent_id, priority }, async (trx) => {
        // What runs stays where it is, unless it was asked to move.
        const jobs = reassignRunning ? [] : await selectJobsOf(trx, id);
        const begun = jobs.filter(({ claimedBy }) => claimedBy !== null).map(({ number }) => number);
        const result = await commandRun(parts, trx, id, {
          type: "assign",
          role,
          agentId: agent.id,
          priority,
          begun,
        });
        const body = {
          project_id: id,
          role,
          agent_id: agent.id,
          capabilities: agent.capabilities,
          priority,
          assigned_at,
        };
        return { result, answer: { status: 200, body } };
      });
    },
  };
}

/** Has a command carried out, and answers the project as it is then. */
async function giveCommand(parts: Deps, call: ProjectCall, make: () => Command | Promise<Command>): Promise<Answer> {
  const { id } = await requireOwn(parts.db, call.params.project_id, call.principal);
  const command = await make();
  return change(parts, call, `project.${command.type}`, detailOf(command), async (trx) => {
    const result = await commandRun(parts, trx, id, command);
    const row = await findProject(trx, id, undefined);
    return { result, answer: { status: 200, body: showProject(row!) } };
  });
}

/** What the audit log keeps of a command, in the words of the API. */
function detailOf(command: Command): Readonly<Record<string, unknown>> {
  switch (command.type) {
    case "cancel":
    case "pause":
    case "resume":
      return {};
    case "restart":
      return { from_phase: command.fromPhase };
    case "rollback":
      return { checkpoint: command.checkpoint };
    case "retry":
      return { task_id: command.taskId, downstream: command.downstream };
    case "assign":
      return { role: command.role, agent_id: command.agentId, priority: command.priority };
    case "debug":
      return { command: command.command };
  }
}

/** One transaction: the change, its audit entry and the answer; who waits is told after it. */
async function change(
  parts: Deps,
  call: ProjectCall,
  action: string,
  detail: Readonly<Record<string, unknown>>,
  work: (trx: Transaction) => Promise<{ result: CommitResult; answer: Answer }>,
): Promise<Answer> {
  let done: CommitResult | undefined;
  const answer = await parts.transact(call, async (trx) => {
    const { result, answer } = await work(trx);
    done = result;
    await recordChange(trx, parts.clock, call, { action, target: call.params.project_id, detail });
    return answer;
  });
  if (done !== undefined) parts.onCommit(done);
  return answer;
}

async function rollback(db: Database, projectId: string, id: string): Promise<Command> {
  const checkpoint = await findCheckpoint(db, projectId, id);
  const plan = checkpoint && (await readPlan(db, projectId, checkpoint.planVersion));
  if (checkpoint === undefined || plan === undefined)
    throw new Refusal("not_found", `The project has no checkpoint ${id}.`);
  return { type: "rollback", checkpoint: id, state: checkpoint.state, plan: plan.plan };
}
