import type { Installation } from "@slipway/contract";
import { client, explain } from "../data/client.ts";
import { useQuery } from "../data/query-cache.ts";
import { Table } from "../parts/listing.tsx";
import { Chip } from "../parts/status.tsx";
import { Ago } from "../parts/time.tsx";
import { useTitle } from "../parts/use-title.ts";
import { shortSize } from "../project/artifact-path.ts";
import { ServiceLog } from "./service-log.tsx";

/** How the installation is: nodes, queue, database and disks, and what the service says itself. */
export function InstallationPage() {
  useTitle("Installation");
  const { data, error } = useQuery("installation", () => client.call("readInstallation"));
  if (data === undefined) return <p class="center">{error === undefined ? "Loading…" : explain(error)}</p>;
  return (
    <div class="page">
      <h1>Installation</h1>
      <div class="cards">
        <Service installation={data} />
        <Queue queue={data.queue} />
        <Storage installation={data} />
      </div>
      <h2>Nodes</h2>
      <Table label="Nodes" head={["Node", "Jobs", "Lease"]} numbers={["Jobs"]}>
        {data.nodes.map(({ name, jobs, lease_expires_at }) => (
          <tr key={name}>
            <td class="wide">
              <code>{name}</code>
            </td>
            <td class="number">{jobs}</td>
            <td>
              {Date.parse(lease_expires_at) > Date.now() ? (
                <Chip tone="good">alive</Chip>
              ) : (
                <Chip tone="bad">silent</Chip>
              )}
            </td>
          </tr>
        ))}
      </Table>
      {data.nodes.length === 0 && <p class="faint">No node does work.</p>}
      <h2>Service log</h2>
      <ServiceLog />
    </div>
  );
}

function Service({ installation }: { readonly installation: Installation }) {
  const { version, node_version, platform, started_at, database } = installation;
  return (
    <section class="card" aria-label="Service">
      <h2>Service</h2>
      <p>
        Slipway {version}, Node.js {node_version}, {platform}
      </p>
      <p>
        Started <Ago at={started_at} />
      </p>
      <p>
        Postgres {database.version}: {shortSize(database.size_bytes)}, {database.connections} connections
      </p>
    </section>
  );
}

function Queue({ queue: { waiting, delayed, running, paused } }: { readonly queue: Installation["queue"] }) {
  return (
    <section class="card" aria-label="Queue">
      <h2>Queue</h2>
      <dl class="facts">
        {Object.entries({ Waiting: waiting, Running: running, Later: delayed, Paused: paused }).map(([name, count]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{count}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** Less than this share left is worth a warning. */
const minFree = 0.1;

function Storage({ installation: { disks } }: { readonly installation: Installation }) {
  return (
    <section class="card" aria-label="Disks">
      <h2>Disks</h2>
      {disks.map(({ use, path, free_bytes, total_bytes }) => (
        <div key={use}>
          <p>
            {use}: {shortSize(free_bytes)} of {shortSize(total_bytes)} free{" "}
            {free_bytes < total_bytes * minFree && <Chip tone="bad">nearly full</Chip>}
          </p>
          <meter
            class="meter"
            min={0}
            max={total_bytes}
            value={total_bytes - free_bytes}
            aria-label={`Used for ${use}`}
          />
          <p class="faint">{path}</p>
        </div>
      ))}
    </section>
  );
}
