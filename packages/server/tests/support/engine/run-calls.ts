import { smallDocument, type TestApp } from "../test-app.ts";
import { command, readProject, submit, untilProject } from "./follow.ts";

interface RunCall {
  /** What stands in the path: the project's id, or the approval's. */
  readonly param: string;
  readonly payload?: object | string;
  readonly headers?: Record<string, string>;
}

const yaml = { "content-type": "application/yaml" };

/** How each endpoint of a run is called so that it succeeds, on a project made for it: one whose plan waits for a person. */
export function runCalls(app: TestApp): Readonly<Record<string, () => Promise<RunCall>>> {
  const { call, userToken } = app;
  let owner: Promise<{ token: string }> | undefined;

  /** Another user's than the administrator's, so that the administrator may approve. */
  const underReview = async () => {
    owner ??= userToken("svc:user");
    const id = await submit(app, smallDocument("under-review"), "?review_plan=true", (await owner).token);
    await untilProject(app, id, ({ waiting_for }) => waiting_for === "approval");
    return id;
  };
  const after = async (...commands: string[]) => {
    const param = await underReview();
    for (const name of commands) await command(app, param, name);
    return { param };
  };
  const firstOf = async (id: string, list: string, member: string) => {
    const answer = await call({ url: `/api/v1/projects/${id}/${list}` });
    return answer.json<Record<string, Record<string, string>[]>>()[list]![0]![member]!;
  };

  let readable: Promise<RunCall> | undefined;
  const read = () => {
    readable ??= after();
    return readable;
  };
  return {
    listPhases: read,
    listTasks: read,
    listCheckpoints: read,
    readAcceptance: read,
    readDiagnostics: read,
    listApprovals: read,
    readPlan: read,
    editPlan: async () => {
      const param = await underReview();
      const { payload } = await call({ url: `/api/v1/projects/${param}/plan` });
      return { param, payload, headers: yaml };
    },
    cancelProject: () => after(),
    pauseProject: () => after(),
    resumeProject: () => after("pause"),
    restartProject: async () => ({ ...(await after()), payload: { from_phase: "planning" } }),
    rollbackProject: async () => {
      const param = await underReview();
      return { param, payload: { checkpoint: await firstOf(param, "checkpoints", "checkpoint_id") } };
    },
    retryTask: async () => ({ ...(await after("cancel")), payload: { task_id: "build-hello" } }),
    startDebugging: () => after(),
    stepDebugging: () => after("debug/start"),
    continueDebugging: () => after("debug/start"),
    stopDebugging: () => after("debug/start"),
    deleteProject: () => after("cancel"),
    assignAgent: async () => {
      const param = await underReview();
      const { agents } = await readProject(app, param);
      return { param, payload: { agent_id: agents["planner"]!, capabilities: ["api"], priority: "high" } };
    },
    decideApproval: async () => {
      const param = await firstOf(await underReview(), "approvals", "approval_id");
      return { param, payload: { decision: "approve", comment: "Good." } };
    },
  };
}
