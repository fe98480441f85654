import type { Task } from "@slipway/contract";
import { SomeOf } from "../parts/some-of.tsx";
import { shortDuration, useNow } from "../parts/time.tsx";
import { Link } from "../routing/router.tsx";
import { useAgentNames, useTasks } from "./project-data.ts";

interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Of one task; the newest. */
const maxBars = 50;

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
    <SomeOf items={begun} step={200}>
      {(some) => (
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
          {some.map((task) => (
            <Row key={task.task_id} id={id} task={task} whole={whole} nowMs={nowMs} names={names} />
          ))}
        </ul>
      )}
    </SomeOf>
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
        {task.attempts.slice(-maxBars).map(({ number, agent_id, queued_at, started_at, ended_at, outcome }) => {
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
  // One by one: a call takes no hundred thousand arguments.
  let [fromMs, toMs] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { attempts } of tasks)
    for (const { queued_at, ended_at } of attempts) {
      fromMs = Math.min(fromMs, Date.parse(queued_at));
      toMs = Math.max(toMs, ended_at === null ? nowMs : Date.parse(ended_at));
    }
  return { fromMs, toMs: Math.max(toMs, fromMs + 1) };
}

function placeOf({ fromMs, toMs }: Span, startMs: number, endMs: number) {
  const share = (ms: number) => (100 * ms) / (toMs - fromMs);
  return { left: `${share(startMs - fromMs)}%`, width: `${Math.max(0, share(endMs - startMs))}%` };
}
