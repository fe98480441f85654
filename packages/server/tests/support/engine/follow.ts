import type { Approval, Checkpoint, EventRecord, Phase, Project, Task } from "@slipway/contract";
import type { TestApp } from "../test-app.ts";
import { until } from "../until.ts";

type Caller = Pick<TestApp, "call">;

/** Sends a document; gives the new project's id. */
export async function submit({ call }: Caller, document: string, query = "", token?: string): Promise<string> {
  const answer = await call({
    method: "POST",
    url: `/api/v1/projects${query}`,
    headers: { "content-type": "application/yaml" },
    payload: document,
    ...(token !== undefined && { token }),
  });
  if (answer.statusCode !== 201) throw new Error(answer.body);
  return answer.json<{ project_id: string }>().project_id;
}

export async function readProject({ call }: Caller, id: string): Promise<Project> {
  return (await call({ url: `/api/v1/projects/${id}` })).json<Project>();
}

/** Waits until a project is as told. */
export function untilProject(app: Caller, id: string, isSo: (project: Project) => boolean): Promise<Project> {
  return until(async () => {
    const project = await readProject(app, id);
    return isSo(project) ? project : undefined;
  });
}

export function untilEnded(app: Caller, id: string): Promise<Project> {
  return untilProject(app, id, ({ status }) => status === "deployed" || status === "failed");
}

/** Every event of a project, in order. */
export async function eventsOf({ call }: Caller, id: string): Promise<EventRecord[]> {
  const events: EventRecord[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page = await call({ url: `/api/v1/projects/${id}/events?limit=100${cursor && `&cursor=${cursor}`}` });
    const { events: some, next_cursor } = page.json<{ events: EventRecord[]; next_cursor: string | null }>();
    events.push(...some);
    cursor = next_cursor;
  }
  return events;
}

export async function tasksOf({ call }: Caller, id: string): Promise<Task[]> {
  return (await call({ url: `/api/v1/projects/${id}/tasks?limit=100` })).json<{ tasks: Task[] }>().tasks;
}

export async function phasesOf({ call }: Caller, id: string): Promise<Phase[]> {
  return (await call({ url: `/api/v1/projects/${id}/phases` })).json<{ phases: Phase[] }>().phases;
}

/** Newest first. */
export async function checkpointsOf({ call }: Caller, id: string): Promise<Checkpoint[]> {
  const answer = await call({ url: `/api/v1/projects/${id}/checkpoints?limit=100` });
  return answer.json<{ checkpoints: Checkpoint[] }>().checkpoints;
}

/** Newest first. */
export async function approvalsOf({ call }: Caller, id: string): Promise<Approval[]> {
  const answer = await call({ url: `/api/v1/projects/${id}/approvals?limit=100` });
  return answer.json<{ approvals: Approval[] }>().approvals;
}

/** Waits until a person is asked, and gives what. */
export async function untilAsked(app: Caller, id: string): Promise<Approval> {
  await untilProject(app, id, ({ waiting_for }) => waiting_for === "approval");
  return (await approvalsOf(app, id))[0]!;
}

export function decide({ call }: Caller, { approval_id }: Approval, payload: object, token?: string) {
  const url = `/api/v1/approvals/${approval_id}`;
  return call({ method: "POST", url, payload, ...(token !== undefined && { token }) });
}

/** Gives a command, such as `cancel`; gives the answer. */
export function command({ call }: Caller, id: string, name: string, body?: object) {
  return call({
    method: "POST",
    url: `/api/v1/projects/${id}/${name}`,
    ...(body && { payload: body }),
  });
}

/** A refusal's status and what it says. */
export function refusalOf(answer: { statusCode: number; json(): unknown }): [number, string] {
  return [answer.statusCode, (answer.json() as { detail: string }).detail];
}
