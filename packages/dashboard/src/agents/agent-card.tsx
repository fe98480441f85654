import type { Agent, AgentLog as Log } from "@slipway/contract";
import { client } from "../data/client.ts";
import { may } from "../data/session.ts";
import { AskButton } from "../parts/ask-button.tsx";
import { Chip } from "../parts/status.tsx";
import { Ago } from "../parts/time.tsx";
import { dollars } from "../project/usage.ts";
import { Link } from "../routing/router.tsx";
import { AgentLog } from "./agent-log.tsx";
import { AssignButton } from "./assign-button.tsx";
import { Sparkline } from "./sparkline.tsx";

const tones = { idle: "good", busy: "busy", draining: "wait", offline: "idle", error: "bad" } as const;

interface Props {
  readonly agent: Agent;
  /** What it says of a task. */
  readonly log: Log | undefined;
  readonly isWanted: boolean;
}

/** One agent. */
export function AgentCard({ agent, log, isWanted }: Props) {
  const { agent_id, name, kind, status, problem, capabilities, slots, version, usage, last_activity } = agent;
  return (
    <article class={isWanted ? "card is-wanted" : "card"}>
      <header>
        <h2>{name}</h2>
        <span class="faint">
          {kind}
          {version !== null && ` ${version}`}
        </span>
        <Chip tone={tones[status]}>{status}</Chip>
      </header>
      {problem !== null && <p class="error">{problem}</p>}
      <p class="facts-line">
        <Sparkline history={agent.utilization_history} label={`How busy ${name} was in the last hour`} />
        <span>{Math.round(agent.utilization * 100)} % busy in the last hour</span>
      </p>
      <Current agent={agent} log={log} />
      <p class="faint">
        {slots === 1 ? "One task" : `${slots} tasks`} at once. {costOf(usage)}{" "}
        {last_activity !== null && (
          <>
            Last active <Ago at={last_activity} />.
          </>
        )}
      </p>
      <ul class="tags" aria-label="Capabilities">
        {capabilities.map((capability) => (
          <li key={capability}>{capability}</li>
        ))}
      </ul>
      <div class="buttons">
        {may("projects:manage") && <AssignButton agent={agent} />}
        {may("agents:manage") && (
          <>
            <RestartButton id={agent_id} name={name} isForced={false} />
            <RestartButton id={agent_id} name={name} isForced />
          </>
        )}
      </div>
    </article>
  );
}

function costOf({ cost_usd, is_complete }: Agent["usage"]): string {
  if (cost_usd === null) return "What it cost in 30 days is unknown.";
  return `${dollars(cost_usd)}${is_complete ? "" : " or more"} in 30 days.`;
}

function Current({ agent, log }: Pick<Props, "agent" | "log">) {
  const { current_project: project, current_task: task } = agent;
  if (task === null) return <p class="faint">It has no task now.</p>;
  if (project === null) return <p>It is at a task of somebody else.</p>;
  return (
    <>
      <p>
        At <Link href={`/projects/${project}?task=${encodeURIComponent(task)}`}>{task}</Link>
      </p>
      {log !== undefined && log.project_id === project && log.task_id === task && <AgentLog log={log} />}
    </>
  );
}

interface RestartProps {
  readonly id: string;
  readonly name: string;
  readonly isForced: boolean;
}

/** Either it finishes what it has and takes nothing new until it was checked, or it starts again at once. */
function RestartButton({ id, name, isForced }: RestartProps) {
  return (
    <AskButton
      label={isForced ? "Restart now" : "Drain and restart"}
      title={`Restart ${name}?`}
      action="Restart"
      isDangerous={isForced}
      act={() => client.call("restartAgent", { params: { agent_id: id }, body: { force: isForced } })}
      outdates="agents"
    >
      <p>
        {isForced
          ? "Its running tasks are stopped and start again; that counts as no attempt."
          : "It finishes its running tasks and accepts no new ones. Then the service checks it and makes it available again."}
      </p>
    </AskButton>
  );
}
