import { topLevelEnvironment } from "@slipway/contract";
import { effectiveCapabilities, findAgent, hasAll } from "../../agents/index.ts";
import { keepGeneration } from "../../engine/generation/index.ts";
import { selectJobsOf } from "../../engine/jobs/index.ts";
import {
  type Command,
  type CommitDeps,
  type CommitResult,
  commandRun,
  findCheckpoint,
  type PlanContent,
  readPlan,
  readRun,
} from "../../engine/lifecycle/index.ts";
import type { Database, Transaction } from "../../platform/database/index.ts";
import { Refusal } from "../../platform/errors/index.ts";
import type { Answer, Call, Handlers, Principal, Transact } from "../../platform/http/index.ts";
import { recordChange } from "../audit/index.ts";
import { findProject, requireOwn, showProject } from "../projects/index.ts";
import {
  deleteEndedProject,
  findDeploymentThatNeeds,
  findEnvironmentInFlight,
  lockDeploymentsOf,
  type NeedingDeployment,
} from "./store.ts";

export interface CommandRouteDeps extends CommitDeps {
  readonly db: Database;
  readonly transact: Transact;
  /** Reads the plan and the rules of a run from the project's document. */
  readonly findPlan: (projectId: string) => Promise<PlanContent>;
  /** Called after a command was committed. */
  readonly onCommit: (result: CommitResult) => void;
  readonly onDeleted: (projectId: string) => void;
}

type CommandHandlers = Pick<
  Handlers,
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

/** Commands that change the run of a project: pause, retry, roll back, assign, debug, delete and the like. */
export function commandRoutes(deps: CommandRouteDeps): CommandHandlers {
  const { db, clock, plans, transact } = deps;

  const command = (call: ProjectCall, make: () => Command | Promise<Command>) => giveCommand(deps, call, make);
  const debug = (name: "start" | "step" | "continue" | "stop") => (call: ProjectCall) =>
    command(call, () => ({ type: "debug", command: name }));

  return {
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
        await lockDeploymentsOf(trx, id);
        const inFlight = await findEnvironmentInFlight(trx, id);
        if (inFlight !== undefined)
          throw new Refusal(
            "conflict",
            `The project is on its way to '${inFlight || topLevelEnvironment}'. Wait for the end of that.`,
          );
        const needed = await findDeploymentThatNeeds(trx, id);
        if (needed !== undefined) throw new Refusal("conflict", whyNeeded(needed));
        if (!(await deleteEndedProject(trx, id)))
          throw new Refusal("conflict", `Only a project that has ended can be deleted; this one is in ${status}.`);
        await recordChange(trx, clock, call, { action: "project.delete", target: id });
        return { status: 204 };
      });
      deps.onDeleted(id);
      return answer;
    },

    assignAgent: async (call) => {
      const { id } = await requireOwn(db, call.params.project_id, call.principal);
      const { role } = call.params;
      const { agent_id, capabilities = [], priority = "medium" } = call.body;
      const agent = await findAgent(db, agent_id);
      if (agent === undefined) throw new Refusal("not_found", `There is no agent ${agent_id}.`);
      const { rules, plan } = (await readRun(db, plans, id))?.run ?? (await deps.findPlan(id));
      const { roles } = rules;
      requireRole(role, [...Object.keys(roles), ...[...plan.tasks.values()].map((task) => task.role)]);
      const asked = Object.hasOwn(roles, role) ? roles[role]!.capabilities : [];
      const wanted = [...new Set([...capabilities, ...asked])];
      if (!hasAll(effectiveCapabilities(agent.kind, agent.capabilities), wanted))
        throw new Refusal("no_agents_available", `No agents available with capabilities: [${wanted.join(", ")}]`);
      const reassignRunning = call.query.reassign_running ?? false;
      const assigned_at = clock.now().toISOString();
      return change(deps, call, "project.assign_agent", { role, agent_id, priority }, async (trx) => {
        // Running tasks stay with their agent unless the caller asks to move them.
        const jobs = reassignRunning ? [] : await selectJobsOf(trx, id);
        const begun = jobs.filter(({ claimedBy }) => claimedBy !== null).map(({ number }) => number);
        const result = await commandRun(deps, trx, id, {
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

/** Why a project cannot be deleted, and what to do first. */
function whyNeeded({ id, application_id: application, environment, is_live: isLive }: NeedingDeployment): string {
  const name = environment === "" ? topLevelEnvironment : environment;
  // By its id: the name is somebody else's text, and this will be pasted into a shell.
  const command = (verb: string) => `'slipway apps ${verb} ${application} --environment ${id}'`;
  return isLive
    ? `The project is live: it made the version that the deployment '${name}' of ${application} runs. Stop that with ${command("stop")}, or deploy another version, first.`
    : `The project is the last one of ${application}, whose deployment '${name}' would lose its data. Remove that with ${command("rm")} first.`;
}

/** Refuses a role that neither the document nor the plan has: its agent would never get a task. */
function requireRole(role: string, known: readonly string[]): void {
  if (known.includes(role)) return;
  const roles = [...new Set(known)].join(", ");
  throw new Refusal("not_found", `The project has no role '${role}'. Its roles are: ${roles}.`);
}

/** Carries a command out and answers with the changed project. */
async function giveCommand(
  deps: CommandRouteDeps,
  call: ProjectCall,
  make: () => Command | Promise<Command>,
): Promise<Answer> {
  const { id } = await requireOwn(deps.db, call.params.project_id, call.principal);
  const command = await make();
  return change(deps, call, `project.${command.type}`, detailOf(command), async (trx) => {
    const result = await commandRun(deps, trx, id, command);
    // Without files, all is generated anew, with the source that counts by then.
    if (command.type === "rollback" && command.state.head !== null) await keepGeneration(trx, id, command.checkpoint);
    const row = await findProject(trx, id);
    return { result, answer: { status: 200, body: showProject(row!) } };
  });
}

/** The details of a command for the audit log, named as in the API. */
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
    case "promote":
      return { environment: command.target.environment };
    case "debug":
      return { command: command.command };
  }
}

/** Saves the change, its audit entry and the answer in one transaction; wakes the waiting code after it. */
async function change(
  deps: CommandRouteDeps,
  call: ProjectCall,
  action: string,
  detail: Readonly<Record<string, unknown>>,
  work: (trx: Transaction) => Promise<{ result: CommitResult; answer: Answer }>,
): Promise<Answer> {
  let done: CommitResult | undefined;
  const answer = await deps.transact(call, async (trx) => {
    const { result, answer } = await work(trx);
    done = result;
    await recordChange(trx, deps.clock, call, { action, target: call.params.project_id, detail });
    return answer;
  });
  if (done !== undefined) deps.onCommit(done);
  return answer;
}

async function rollback(db: Database, projectId: string, id: string): Promise<Command> {
  const checkpoint = await findCheckpoint(db, projectId, id);
  const plan = checkpoint && (await readPlan(db, projectId, checkpoint.planVersion));
  if (checkpoint === undefined || plan === undefined)
    throw new Refusal("not_found", `The project has no checkpoint ${id}.`);
  return { type: "rollback", checkpoint: id, state: checkpoint.state, plan: plan.plan };
}
