import { newId } from "../../../src/platform/ids.ts";
import { createProject, type TestApp, unbuildableDocument } from "../test-app.ts";

interface WorkerCall {
  /** What stands in the path. */
  readonly param: string;
  readonly search?: string;
  readonly payload?: object | string;
  readonly headers?: Record<string, string>;
}

/** How each endpoint for workers is called so that it succeeds, on a task that a worker of the administrator's holds. */
export function workerCalls(app: TestApp): Readonly<Record<string, () => Promise<WorkerCall>>> {
  const { call, db } = app;
  let workers = 0;

  const worker = async () => {
    workers += 1;
    const payload = { name: `worker ${workers}`, kind: "worker" };
    const answer = await call({ method: "POST", url: "/api/v1/agents", payload });
    return answer.json<{ agent_id: string }>().agent_id;
  };
  /** One on which nobody works: what is asked here is asked of its record. */
  const project = () => createProject(app, unbuildableDocument());
  const held = async () => {
    const [id, agentId, projectId] = [newId("lease", Date.now()), await worker(), await project()];
    const type = "documentation";
    const search = `?type=${type}&path=a.txt`;
    await call({
      method: "POST",
      url: `/api/v1/projects/${projectId}/artifacts${search}`,
      headers: bytes,
      payload: "a",
    });
    const { digest: source } = await db
      .selectFrom("artifacts")
      .select("digest")
      .where("project_id", "=", projectId)
      .executeTakeFirstOrThrow();
    const work = JSON.stringify({ source });
    const about = { id, agent_id: agentId, project_id: projectId, task_id: "build", work };
    await db
      .insertInto("worker_leases")
      .values({ ...about, state: "claimed", fence: 1 })
      .execute();
    return id;
  };
  const heldWith = (payload: object) => async () => ({ param: await held(), payload });
  return {
    claimTask: async () => ({ param: await worker(), payload: { wait_seconds: 0 } }),
    heartbeatLease: heldWith({ fence: 1 }),
    sendWorkerEvents: heldWith({ fence: 1, events: [{ sequence: 1, type: "status", text: "at it" }] }),
    completeLease: heldWith({ fence: 1, outcome: "failed", message: "No." }),
    readLeaseSource: async () => ({ param: await held() }),
    uploadArtifact: async () => ({
      param: await project(),
      search: "?type=documentation&path=docs/guide.md",
      headers: bytes,
      payload: "# Guide\n",
    }),
  };
}

const bytes = { "content-type": "application/octet-stream" };
