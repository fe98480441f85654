import type { Release } from "@slipway/contract";
import { Table } from "../parts/listing.tsx";
import { Chip, Counts } from "../parts/status.tsx";
import { Ago } from "../parts/time.tsx";
import { Link } from "../routing/router.tsx";

const tones = { preparing: "busy", live: "good", retired: "idle", failed: "bad" } as const;

/** The versions of a deployment, newest first, with their requests. */
export function Releases({
  releases,
  live,
}: {
  readonly releases: readonly Release[];
  readonly live: string | undefined;
}) {
  return (
    <Table
      label="Versions"
      head={["Version", "Status", "Lines", "Requests", "Failed", "Dropped", "Made"]}
      numbers={["Requests", "Failed", "Dropped"]}
    >
      {releases.map((release) => (
        <tr key={release.release_id}>
          <td>
            <Link href={`/projects/${release.project_id}`}>{release.version}</Link>
            {release.error !== null && <p class="error">{release.error}</p>}
          </td>
          <td>
            <Chip tone={tones[release.status]}>{release.release_id === live ? "live" : release.status}</Chip>
          </td>
          <td>
            <Counts checks={release.checks} />
          </td>
          <td class="number">{release.traffic?.requests ?? "–"}</td>
          <td class="number">{release.traffic?.failed ?? "–"}</td>
          <td class="number">{release.traffic?.dropped ?? "–"}</td>
          <td>
            <Ago at={release.created_at} />
          </td>
        </tr>
      ))}
    </Table>
  );
}
