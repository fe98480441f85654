import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { newDataFolder, startService } from "../http/processes.ts";

interface Load {
  readonly projects: number;
  readonly tasks: number;
  readonly lines: number;
}

export type Stage = Awaited<ReturnType<typeof openStage>>;

/** A service with many projects, a project whose plan has many tasks, and one with a long log. */
export async function openStage({ projects, tasks, lines }: Load) {
  const data = newDataFolder();
  const service = await startService(data);
  const address = `http://127.0.0.1:${service.port}`;
  const authorization = `Bearer ${readFileSync(join(data, "admin-token"), "utf8").trim()}`;
  const call = async <T>(path: string, init: RequestInit = {}): Promise<T> => {
    const answer = await fetch(`${address}/api/v1${path}`, { ...init, headers: { authorization, ...init.headers } });
    if (!answer.ok) throw new Error(await answer.text());
    return (await answer.json()) as T;
  };
  const headers = { "content-type": "application/yaml" };
  const body = documentOf(tasks);
  const { project_id } = await call<{ project_id: string }>("/projects?review_plan=true", {
    method: "POST",
    headers,
    body,
  });
  while ((await call<{ waiting_for: string | null }>(`/projects/${project_id}`)).waiting_for !== "approval")
    await delay(50);
  const longLog = await fill(data, { projects, lines, like: project_id });
  return {
    address,
    graph: `/projects/${project_id}`,
    log: `/projects/${longLog}?tab=logs&from=start`,
    signInLink: async () =>
      `${address}/#sign-in=${(await call<{ code: string }>("/auth/sign-in-codes", { method: "POST" })).code}`,
  };
}

const tasksPerPhase = 30;

/** A plan as of a large team: phases in a row, whose tasks wait for others of the phase. */
function documentOf(tasks: number): string {
  const phases = Array.from({ length: Math.ceil(tasks / tasksPerPhase) }, (_, at) => [
    `part-${at}`,
    { description: `Part ${at}.`, depends_on: at === 0 ? [] : [`part-${at - 1}`] },
  ]);
  const all = Array.from({ length: tasks }, (_, at) => ({
    id: `task-${at}`,
    title: `Task ${at} of the plan`,
    phase: `part-${Math.floor(at / tasksPerPhase)}`,
    ...(at % tasksPerPhase > 9 && { depends_on: [`task-${at - 10}`] }),
  }));
  return JSON.stringify({
    spec_version: "1.0.0",
    id: "large",
    name: "Large",
    description: "A plan of many tasks.",
    outcome_type: "api",
    stack: {},
    acceptance: {},
    phases: Object.fromEntries(phases),
    tasks: all,
  });
}

const linesPerChunk = 200;

/** Adds projects to the list, and lines to the log of one of them; returns its id. */
async function fill(
  data: string,
  { projects, lines, like }: { projects: number; lines: number; like: string },
): Promise<string> {
  const client = new pg.Client({ host: join(data, "postgres"), user: "slipway", database: "postgres" });
  await client.connect();
  const { rows } = await client.query<{ id: string }>(
    `insert into projects (id, application_id, owner_id, document_id, name, outcome_type, last_sequence)
     select 'proj_0' || lpad(number::text, 19, '0'), application_id, owner_id, document_id, 'Project ' || number, outcome_type, 1
     from projects, generate_series(1, $1::integer) as number where id = $2 returning id`,
    [projects, like],
  );
  const id = rows.at(-1)!.id;
  await client.query(
    `insert into logs (project_id, source, task_id, attempt, agent_id, lines, text, at)
     select $1, 'agent', 'task-1', 1, 'agent_1', $3, string_agg(
         e'\\u001b[3' || (line % 8) || 'm' || (chunk * $3::integer + line) || e'\\u001b[0m compiled a file and wrote what came of it' || e'\\n', ''),
       now() + chunk * interval '1 ms'
     from generate_series(0, $2::integer / $3::integer - 1) as chunk, generate_series(1, $3::integer) as line
     group by chunk order by chunk`,
    [id, lines, linesPerChunk],
  );
  await client.query("vacuum analyze projects, logs");
  await client.end();
  return id;
}
