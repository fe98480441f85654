import type { Answer } from "@slipway/client";
import { useTeams } from "../access/use-teams.ts";
import { client } from "../data/client.ts";
import { useQuery } from "../data/query-cache.ts";
import { useList } from "../data/use-list.ts";
import { AppLink } from "../parts/app-link.tsx";
import { Listing, Table } from "../parts/listing.tsx";
import { Ago } from "../parts/time.tsx";
import { useTitle } from "../parts/use-title.ts";
import { Link } from "../routing/router.tsx";
import { DeploymentChip } from "./deployment-chip.tsx";

type Application = Answer<"listApplications">["applications"][number];

/** Every application: all runs of one owner's documents with the same id, and what of it is live. */
export function ApplicationsPage() {
  useTitle("Applications");
  const list = useList("applications/list", async (page) => {
    const { applications, next_cursor } = await client.call("listApplications", { query: page });
    return { items: applications, next: next_cursor };
  });
  return (
    <div class="page">
      <h1>Applications</h1>
      <Listing list={list} empty={<p>An application comes with its first project.</p>}>
        <Table label="Applications" head={["Application", "Live", "Shared with", "Runs", "Latest"]} numbers={["Runs"]}>
          {list.items.map((application) => (
            <Row key={application.application_id} application={application} />
          ))}
        </Table>
      </Listing>
    </div>
  );
}

function Row({ application }: { readonly application: Application }) {
  const { application_id, document_id, projects, latest_project_id, team_id, updated_at, created_at } = application;
  const { nameOf } = useTeams();
  const { data } = useQuery(`applications/${application_id}`, () =>
    client.call("readApplication", { params: { application_id } }),
  );
  return (
    <tr>
      <td class="wide">
        <Link href={`/applications/${application_id}`}>{document_id}</Link>
      </td>
      <td>
        {data?.deployments.map(({ environment, status, url }) => (
          <p key={environment}>
            <DeploymentChip status={status} /> {environment} <AppLink url={url}>{url}</AppLink>
          </p>
        ))}
        {data?.deployments.length === 0 && <span class="faint">nothing</span>}
      </td>
      <td>{team_id === null ? <span class="faint">nobody</span> : nameOf(team_id)}</td>
      <td class="number">{projects}</td>
      <td>
        <Link href={`/projects/${latest_project_id}`}>
          <Ago at={updated_at ?? created_at} />
        </Link>
      </td>
    </tr>
  );
}
