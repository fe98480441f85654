import type { Phase, Task } from "@slipway/contract";
import { useMemo } from "preact/hooks";
import { Mark, taskTones } from "../parts/status.tsx";
import { Link, useAddress } from "../routing/router.tsx";
import { type GraphLayout, layOut } from "./graph-layout.ts";
import { usePhases, useTasks } from "./project-data.ts";
import { TaskPanel } from "./task-panel.tsx";

/** The graph of the work: phases from left to right in the order they can run, with their tasks. */
export function WorkTab({ id }: { readonly id: string }) {
  const { data: phases } = usePhases(id);
  const { data: tasks } = useTasks(id);
  const wanted = useAddress().searchParams.get("task") ?? "";
  const layout = useMemo(() => layOut(phases ?? [], tasks ?? [], wanted), [phases, tasks, wanted]);
  if (phases === undefined || tasks === undefined) return <p class="faint">Loading…</p>;
  if (phases.length === 0) return <p class="faint">The work is not planned yet.</p>;
  const task = tasks.find(({ task_id }) => task_id === wanted);
  return (
    <>
      {layout.isDense && <p class="faint">There are too many dependencies to draw: choose a task to see its own.</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by the keyboard */}
      <section class="graph" tabIndex={0} aria-label="Phases and tasks">
        <div class="graph-area" style={{ width: `${layout.width}px`, height: `${layout.height}px` }}>
          <Edges layout={layout} wanted={wanted} />
          {layout.phases.map(({ phase, hasFailed, ...box }) => (
            <article
              key={phase.name}
              class={`graph-phase phase-${hasFailed ? "failed" : phase.status}`}
              style={placeOf(box)}
            >
              <PhaseHead phase={phase} status={hasFailed ? "failed" : phase.status} />
            </article>
          ))}
          {layout.tasks.map(({ task: one, ...box }) => (
            <TaskNode key={one.task_id} id={id} task={one} box={box} isWanted={one.task_id === wanted} />
          ))}
        </div>
      </section>
      {task !== undefined && <TaskPanel id={id} task={task} />}
    </>
  );
}

/** A box is too narrow for the status in words: it stands on hover and in the label. */
function PhaseHead({ phase, status }: { readonly phase: Phase; readonly status: keyof typeof taskTones }) {
  const { name, tasks_done, tasks } = phase;
  return (
    <header title={`${name}: ${status}, ${tasks_done} of ${tasks} tasks done`}>
      <Mark tone={taskTones[status]} label={status} />
      <h2 class="ellipsis">{name}</h2>
      <span class="faint">
        {tasks_done}/{tasks}
      </span>
    </header>
  );
}

interface NodeProps {
  readonly id: string;
  readonly task: Task;
  readonly box: Box;
  readonly isWanted: boolean;
}

type Box = Pick<GraphLayout["tasks"][number], "x" | "y" | "width" | "height">;

function TaskNode({ id, task, box, isWanted }: NodeProps) {
  const { task_id, title, status, attempts } = task;
  return (
    <Link
      class={`graph-task task-${status}`}
      href={`/projects/${id}?task=${encodeURIComponent(task_id)}`}
      aria-current={isWanted ? "true" : undefined}
      title={`${title}: ${status}`}
      style={placeOf(box)}
    >
      <Mark tone={taskTones[status]} label={status} />
      <span class="ellipsis">{title}</span>
      {attempts.length > 1 && <span class="faint">×{attempts.length}</span>}
    </Link>
  );
}

function Edges({ layout, wanted }: { readonly layout: GraphLayout; readonly wanted: string }) {
  const running = new Set(
    layout.tasks.flatMap(({ task }) => (task.status === "running" || task.status === "queued" ? [task.task_id] : [])),
  );
  return (
    <svg class="graph-edges" width={layout.width} height={layout.height} aria-hidden="true">
      {layout.edges.map(({ from, to, path }) => {
        const isWanted = wanted !== "" && (from === wanted || to === wanted);
        return <path key={path} d={path} class={isWanted ? "edge-wanted" : running.has(to) ? "edge-active" : ""} />;
      })}
    </svg>
  );
}

function placeOf({ x, y, width, height }: Box) {
  return { left: `${x}px`, top: `${y}px`, width: `${width}px`, height: `${height}px` };
}
