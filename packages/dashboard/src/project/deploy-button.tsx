import { useState } from "preact/hooks";
import { client } from "../data/client.ts";
import { AskButton } from "../parts/ask-button.tsx";
import { useEnvironments } from "./project-data.ts";

interface Props {
  readonly id: string;
  readonly label?: string;
  readonly outdates?: string;
}

/** Brings the result of a project to a further environment of its document. */
export function DeployButton({ id, label = "Deploy to…", outdates = `project/${id}` }: Props) {
  const { data: environments = [] } = useEnvironments(id);
  const [chosen, setChosen] = useState("");
  const environment = chosen || (environments[0] ?? "");
  if (environments.length === 0) return null;
  return (
    <AskButton
      label={label}
      title="Deploy to a further environment?"
      action="Deploy"
      act={() => client.call("deployProject", { params: { project_id: id }, body: { environment } })}
      outdates={outdates}
    >
      <label>
        Environment
        <select value={environment} onChange={(event) => setChosen(event.currentTarget.value)}>
          {environments.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <p>The very same files go there, with the environment's own settings, secrets and data.</p>
    </AskButton>
  );
}
