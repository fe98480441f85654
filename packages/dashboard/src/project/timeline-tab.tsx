import type { Task } from "@slipway/contract";
import { shortDuration, useNow } from "../parts/time.tsx";
import { Link } from "../routing/router.tsx";
import { useAgentNames, useTasks } from "./project-data.ts";

interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** When each attempt waited and ran, and who did it. */
export function TimelineTab({ id }: { readonly id: string }) {
  const { data: tasks } = useTasks(id);
  const nowMs = useNow();
  const names = useAgentNames();
  if (tasks === undefined) return <p class="faint">Loading…</p>;
  const begun = tasks.filter(({ attempts }) => attempts.length > 0);
  if (begun.length === 0) return <p class="faint">Nothing has begun yet.</p>;
  const whole = spanOf(begun, nowMs);
  return (
    <ul class="timeline" aria-label="Timeline">
      <li class="timeline-row timeline-axis">
        <span>from {new Date(whole.fromMs).toLocaleString()}</span>
        <span class="timeline-track">
          {[0, 0.25, 0.5, 0.75].map((share) => (
            <span key={share} style={{ left: `${share * 100}%` }}>
              +{shortDuration(share * (whole.toMs - whole.fromMs))}
            </span>
          ))}
        </span>
      </li>
      {begun.map((task) => (
        <Row key={task.task_id} id={id} task={task} whole={whole} nowMs={nowMs} names={names} />
      ))}
    </ul>
  );
}

interface RowProps {
  readonly id: string;
  readonly task: Task;
  readonly whole: Span;
  readonly nowMs: number;
  readonly names: (agentId: string) => string;
}

function Row({ id, task, whole, nowMs, names }: RowProps) {
  return (
    <li class="timeline-row">
      <Link class="ellipsis" href={`/projects/${id}?task=${encodeURIComponent(task.task_id)}`}>
        {task.title}
      </Link>
      <span class="timeline-track">
        {task.attempts.map(({ number, agent_id, queued_at, started_at, ended_at, outcome }) => {
          const fromMs = Date.parse(started_at ?? queued_at);
          const toMs = ended_at === null ? nowMs : Date.parse(ended_at);
          const about = `Attempt ${number} of ${names(agent_id)}: ${outcome}, ${shortDuration(toMs - fromMs)}`;
          return (
            <span key={number}>
              <span
                class="timeline-queued"
                style={placeOf(whole, Date.parse(queued_at), started_at === null ? toMs : fromMs)}
              />
              {started_at !== null && (
                <span class={`timeline-bar bar-${outcome}`} style={placeOf(whole, fromMs, toMs)} title={about}>
                  {outcome === "failed" ? "✗ " : ""}
                  {names(agent_id)}
                </span>
              )}
            </span>
          );
        })}
      </span>
    </li>
  );
}

/** From the first to the last moment of any attempt. */
function spanOf(tasks: readonly Task[], nowMs: number): Span {
  const attempts = tasks.flatMap((task) => task.attempts);
  const fromMs = Math.min(...attempts.map(({ queued_at }) => Date.parse(queued_at)));
  const toMs = Math.max(
    ...attempts.map(({ ended_at }) => (ended_at === null ? nowMs : Date.parse(ended_at))),
    fromMs + 1,
  );
  return { fromMs, toMs };
}

function placeOf({ fromMs, toMs }: Span, startMs: number, endMs: number) {
  const share = (ms: number) => (100 * ms) / (toMs - fromMs);
  return { left: `${share(startMs - fromMs)}%`, width: `${Math.max(0, share(endMs - startMs))}%` };
}
