import type { Deployment, Release } from "@slipway/contract";
import { useState } from "preact/hooks";
import { client, explain } from "../data/client.ts";
import { useQuery } from "../data/query-cache.ts";
import { may } from "../data/session.ts";
import { ActButton } from "../parts/act-button.tsx";
import { AppLink } from "../parts/app-link.tsx";
import { AskButton } from "../parts/ask-button.tsx";
import { DeployButton } from "../project/deploy-button.tsx";
import { Link } from "../routing/router.tsx";
import { DeploymentChip } from "./deployment-chip.tsx";
import { Releases } from "./releases.tsx";

interface Props {
  readonly id: string;
  readonly environment: string;
}

/** What is live in an environment: address, health, traffic, versions, and what can be done with it. */
export function DeploymentCard({ id, environment }: Props) {
  const params = { application_id: id, environment };
  const { data, error } = useQuery(`applications/${id}/${environment}`, () =>
    client.call("readDeployment", { params }),
  );
  if (data === undefined) return <p class="faint">{error === undefined ? "Loading…" : explain(error)}</p>;
  const { release } = data;
  return (
    <section class="panel" aria-label={`Deployment ${environment}`}>
      <div class="title">
        <h2>{environment}</h2>
        <DeploymentChip status={data.status} />
        {may("projects:manage") && <Commands deployment={data} releases={data.releases} />}
      </div>
      {data.reason !== null && <p class="error">{data.reason}</p>}
      <p class="facts-line">
        <AppLink url={data.url}>{data.url}</AppLink>
        {data.url === null && <code>{data.usage}</code>}
        <span>{data.replicas === 1 ? "1 copy" : `${data.replicas} copies`}</span>
        {release?.traffic && <Traffic traffic={release.traffic} />}
        {release !== null && <Link href={`/projects/${release.project_id}?tab=logs&source=app`}>Its log</Link>}
      </p>
      <Releases releases={data.releases} live={release?.release_id} />
    </section>
  );
}

function Traffic({ traffic }: { readonly traffic: NonNullable<Release["traffic"]> }) {
  const { requests, failed, dropped, p99_ms } = traffic;
  return (
    <span class="faint">
      {requests.toLocaleString()} requests, {failed} failed, {dropped} dropped, 99 % within {Math.round(p99_ms)} ms
    </span>
  );
}

interface CommandsProps {
  readonly deployment: Deployment;
  readonly releases: readonly Release[];
}

function Commands({ deployment, releases }: CommandsProps) {
  const { application_id, environment, status, release, replicas } = deployment;
  const at = { params: { application_id, environment } };
  const outdates = `applications/${application_id}`;
  return (
    <div class="buttons">
      {status === "stopped" ? (
        <ActButton label="Start" act={() => client.call("startDeployment", at)} outdates={outdates} />
      ) : (
        <>
          <AskButton
            label="Stop"
            title={`Stop ${environment}?`}
            action="Stop it"
            isDangerous
            act={() => client.call("stopDeployment", at)}
            outdates={outdates}
          >
            <p>Nobody reaches it until it is started again. Its address, data and versions are kept.</p>
          </AskButton>
          <ActButton label="Restart" act={() => client.call("restartDeployment", at)} outdates={outdates} />
          <ScaleButton deployment={deployment} replicas={replicas} />
        </>
      )}
      <RollBackButton deployment={deployment} releases={releases} />
      {release !== null && <DeployButton id={release.project_id} label="Promote…" outdates={outdates} />}
    </div>
  );
}

function ScaleButton({ deployment, replicas }: { readonly deployment: Deployment; readonly replicas: number }) {
  const { application_id, environment } = deployment;
  const [wanted, setWanted] = useState(replicas);
  return (
    <AskButton
      label="Scale…"
      title="How many copies?"
      action="Scale"
      act={() =>
        client.call("scaleDeployment", { params: { application_id, environment }, body: { replicas: wanted } })
      }
      outdates={`applications/${application_id}`}
    >
      <label>
        Copies
        <input
          type="number"
          min={1}
          max={100}
          value={wanted}
          onInput={(event) => setWanted(event.currentTarget.valueAsNumber)}
        />
      </label>
    </AskButton>
  );
}

function RollBackButton({ deployment, releases }: CommandsProps) {
  const { application_id, environment, release } = deployment;
  const earlier = releases.filter(
    ({ release_id, status }) => release_id !== release?.release_id && status === "retired",
  );
  const [chosen, setChosen] = useState("");
  const release_id = chosen || (earlier[0]?.release_id ?? "");
  if (earlier.length === 0) return null;
  return (
    <AskButton
      label="Roll back…"
      title="Make an earlier version live again?"
      action="Roll back"
      isDangerous
      act={() => client.call("rollBackDeployment", { params: { application_id, environment }, body: { release_id } })}
      outdates={`applications/${application_id}`}
    >
      <label>
        Version
        <select value={release_id} onChange={(event) => setChosen(event.currentTarget.value)}>
          {earlier.map((one) => (
            <option key={one.release_id} value={one.release_id}>
              {one.number}: {one.version}
            </option>
          ))}
        </select>
      </label>
    </AskButton>
  );
}
