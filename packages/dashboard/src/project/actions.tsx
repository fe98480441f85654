import type { Project } from "@slipway/contract";
import { useState } from "preact/hooks";
import { client } from "../data/client.ts";
import { may } from "../data/session.ts";
import { ActButton } from "../parts/act-button.tsx";
import { AppLink } from "../parts/app-link.tsx";
import { AskButton } from "../parts/ask-button.tsx";
import { DeployButton } from "./deploy-button.tsx";
import { useCheckpoints, usePhases } from "./project-data.ts";
import { RetryButton } from "./retry-button.tsx";

/** What can be done with a project now. The service decides again. */
export function Actions({ project }: { readonly project: Project }) {
  const { project_id: id, status, waiting_for, error, deployment } = project;
  const isOver = status === "deployed" || status === "failed";
  const at = { params: { project_id: id } };
  const outdates = `project/${id}`;
  return (
    <div class="buttons">
      <AppLink class="button primary" url={deployment?.url}>
        Open app
      </AppLink>
      {may("projects:manage") && (
        <>
          {!isOver && waiting_for !== "paused" && (
            <ActButton label="Pause" act={() => client.call("pauseProject", at)} outdates={outdates} />
          )}
          {waiting_for === "paused" && (
            <ActButton label="Resume" act={() => client.call("resumeProject", at)} outdates={outdates} />
          )}
          {status === "failed" && error?.task_id !== undefined && <RetryButton id={id} taskId={error.task_id} />}
          {status === "deployed" && <DeployButton id={id} />}
          <RestartButton id={id} />
          <RollBackButton id={id} />
          {!isOver && (
            <AskButton
              label="Cancel"
              title="Cancel this project?"
              action="Cancel the project"
              isDangerous
              act={() => client.call("cancelProject", at)}
              outdates={outdates}
            >
              <p>What runs is stopped. The project ends as cancelled; it can be restarted later.</p>
            </AskButton>
          )}
        </>
      )}
    </div>
  );
}

function RestartButton({ id }: { readonly id: string }) {
  const phases = usePhases(id).data ?? [];
  const [phase, setPhase] = useState("");
  const from_phase = phase || (phases[0]?.name ?? "");
  return (
    <AskButton
      label="Restart from…"
      title="Restart from a phase?"
      action="Restart"
      isDangerous
      act={() => client.call("restartProject", { params: { project_id: id }, body: { from_phase } })}
      outdates={`project/${id}`}
    >
      <label>
        Phase
        <select value={from_phase} onChange={(event) => setPhase(event.currentTarget.value)}>
          {phases.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <p>It runs again, and everything that depends on it.</p>
    </AskButton>
  );
}

function RollBackButton({ id }: { readonly id: string }) {
  const { data: checkpoints = [] } = useCheckpoints(id);
  const [chosen, setChosen] = useState("");
  const checkpoint = chosen || (checkpoints[0]?.checkpoint_id ?? "");
  if (checkpoints.length === 0) return null;
  return (
    <AskButton
      label="Roll back…"
      title="Roll back to a checkpoint?"
      action="Roll back"
      isDangerous
      act={() => client.call("rollbackProject", { params: { project_id: id }, body: { checkpoint } })}
      outdates={`project/${id}`}
    >
      <label>
        Checkpoint
        <select value={checkpoint} onChange={(event) => setChosen(event.currentTarget.value)}>
          {checkpoints.map(({ checkpoint_id, phase, created_at }) => (
            <option key={checkpoint_id} value={checkpoint_id}>
              after {phase}, {new Date(created_at).toLocaleString()}
            </option>
          ))}
        </select>
      </label>
      <p>Files and state become what they were then. Later work is dropped.</p>
    </AskButton>
  );
}
