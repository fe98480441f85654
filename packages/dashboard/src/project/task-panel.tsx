import type { Task } from "@slipway/contract";
import { may } from "../data/session.ts";
import { WorkChip } from "../parts/status.tsx";
import { Ago, shortDuration } from "../parts/time.tsx";
import { Link, setQuery } from "../routing/router.tsx";
import { useAgentNames, useProject } from "./project-data.ts";
import { RetryButton } from "./retry-button.tsx";

/** One task: who does it, how each attempt went, and what it said. */
export function TaskPanel({ id, task }: { readonly id: string; readonly task: Task }) {
  const { task_id, title, description, role, status, depends_on, serves, attempts } = task;
  const { data: project } = useProject(id);
  const names = useAgentNames();
  return (
    <section class="panel task-panel" aria-label={`Task ${task_id}`}>
      <div class="title">
        <h2>{title}</h2>
        <WorkChip status={status} />
        <div class="buttons">
          {may("projects:manage") && project?.status === "failed" && <RetryButton id={id} taskId={task_id} />}
          <Link href={`/projects/${id}?tab=logs&task=${encodeURIComponent(task_id)}`}>Its log</Link>
          <button type="button" class="plain" aria-label="Close the task" onClick={() => setQuery({ task: "" })}>
            ✕
          </button>
        </div>
      </div>
      {description !== null && <p>{description}</p>}
      <dl class="facts">
        <Fact name="Task">{task_id}</Fact>
        <Fact name="Role">{role}</Fact>
        {depends_on.length > 0 && <Fact name="After">{depends_on.join(", ")}</Fact>}
        {serves.length > 0 && <Fact name="Serves">{serves.join(", ")}</Fact>}
      </dl>
      <ol class="attempts">
        {attempts.map(({ number, agent_id, outcome, queued_at, started_at, ended_at, error }) => (
          <li key={number}>
            <WorkChip status={outcome} /> {names(agent_id)}, <Ago at={started_at ?? queued_at} />
            {started_at !== null && ended_at !== null && `, ${took(started_at, ended_at)}`}
            {error !== null && <p class="error">{error.message}</p>}
          </li>
        ))}
      </ol>
    </section>
  );
}

function took(from: string, to: string): string {
  return shortDuration(Date.parse(to) - Date.parse(from));
}

function Fact({ name, children }: { readonly name: string; readonly children: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
