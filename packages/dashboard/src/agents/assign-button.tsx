import type { Agent } from "@slipway/contract";
import { useState } from "preact/hooks";
import { client } from "../data/client.ts";
import { useQuery } from "../data/query-cache.ts";
import { AskButton } from "../parts/ask-button.tsx";

/** Gives a role of a project to an agent. */
export function AssignButton({ agent: { agent_id, name } }: { readonly agent: Agent }) {
  const { data: projects = [] } = useQuery("agents/projects", async () => {
    const { projects: all } = await client.call("listProjects", { query: { limit: 100 } });
    return all.filter(({ status }) => status !== "deployed" && status !== "failed");
  });
  const [chosen, setChosen] = useState("");
  const [role, setRole] = useState("");
  const [moves, setMoves] = useState(false);
  const project = projects.find(({ project_id }) => project_id === chosen) ?? projects[0];
  const roles = Object.keys(project?.agents ?? {});
  const wanted = roles.includes(role) ? role : (roles[0] ?? "");
  if (project === undefined) return null;
  const assign = () =>
    client.call("assignAgent", {
      params: { project_id: project.project_id, role: wanted },
      query: { reassign_running: moves },
      body: { agent_id },
    });
  return (
    <AskButton label="Assign…" title={`Assign ${name} to a role`} action="Assign" act={assign} outdates="agents">
      <label>
        Project
        <select value={project.project_id} onChange={(event) => setChosen(event.currentTarget.value)}>
          {projects.map((one) => (
            <option key={one.project_id} value={one.project_id}>
              {one.name}
            </option>
          ))}
        </select>
      </label>
      <label>
        Role
        <select value={wanted} onChange={(event) => setRole(event.currentTarget.value)}>
          {roles.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      <label class="check">
        <input type="checkbox" checked={moves} onChange={(event) => setMoves(event.currentTarget.checked)} />
        Also move its running tasks; they start again
      </label>
    </AskButton>
  );
}
