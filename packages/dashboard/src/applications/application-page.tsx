import { useTeams } from "../access/use-teams.ts";
import { client, explain } from "../data/client.ts";
import { useQuery } from "../data/query-cache.ts";
import { useList } from "../data/use-list.ts";
import { Listing, Table } from "../parts/listing.tsx";
import { Counts, ProjectChip } from "../parts/status.tsx";
import { Ago } from "../parts/time.tsx";
import { useTitle } from "../parts/use-title.ts";
import { Link } from "../routing/router.tsx";
import { DeploymentCard } from "./deployment-card.tsx";
import { ShareButton } from "./share-button.tsx";

/** One application: what is live in each environment, its versions, and every run. */
export function ApplicationPage({ id }: { readonly id: string }) {
  const { data: application, error } = useQuery(`applications/${id}`, () =>
    client.call("readApplication", { params: { application_id: id } }),
  );
  const { nameOf } = useTeams();
  useTitle(application?.document_id ?? "Application");
  if (application === undefined) return <p class="center">{error === undefined ? "Loading…" : explain(error)}</p>;
  const { document_id, deployments, team_id } = application;
  return (
    <div class="page">
      <p class="crumbs">
        <Link href="/applications">Applications</Link> / <span class="ellipsis">{document_id}</span>
      </p>
      <div class="title">
        <h1>{document_id}</h1>
        {team_id !== null && <span class="faint">shared with {nameOf(team_id)}</span>}
        <div class="buttons">
          <ShareButton application={application} />
        </div>
      </div>
      {deployments.length === 0 && <p class="faint">Nothing of it is deployed.</p>}
      {deployments.map(({ environment }) => (
        <DeploymentCard key={environment} id={id} environment={environment} />
      ))}
      <h2>Runs</h2>
      <Runs id={id} documentId={document_id} />
    </div>
  );
}

function Runs({ id, documentId }: { readonly id: string; readonly documentId: string }) {
  const list = useList(`applications/${id}/runs`, async (page) => {
    const query = { ...page, id: documentId };
    const { projects, next_cursor } = await client.call("listProjects", { query });
    return { items: projects.filter(({ application_id }) => application_id === id), next: next_cursor };
  });
  return (
    <Listing list={list} empty={<p>There are no runs.</p>}>
      <Table label="Runs" head={["Run", "Status", "Lines", "Begun"]}>
        {list.items.map((project) => (
          <tr key={project.project_id}>
            <td class="wide">
              <Link href={`/projects/${project.project_id}`}>{project.name}</Link>
            </td>
            <td>
              <ProjectChip project={project} />
            </td>
            <td>
              <Counts checks={project.checks} />
            </td>
            <td>
              <Ago at={project.created_at} />
            </td>
          </tr>
        ))}
      </Table>
    </Listing>
  );
}
