import { client } from "../data/client.ts";
import { useQuery } from "../data/query-cache.ts";
import { AppLink } from "../parts/app-link.tsx";
import { Chip, type Tone } from "../parts/status.tsx";

const tones: Readonly<Record<string, Tone>> = {
  queued: "idle",
  waiting_for_approval: "wait",
  deploying: "busy",
  live: "good",
  failed: "bad",
};

/** The further environments that the result goes to, and how far it is. */
export function Promotions({ id }: { readonly id: string }) {
  const { data = [] } = useQuery(
    `project/${id}/promotions`,
    async () => (await client.call("listPromotions", { params: { project_id: id } })).promotions,
  );
  return (
    <>
      {data.map(({ environment, status, version, url, error }) => (
        <p key={environment} class="deployment">
          <Chip tone={tones[status] ?? "idle"}>{`${environment}: ${status.replaceAll("_", " ")}`}</Chip> version{" "}
          {version} <AppLink url={url}>{url}</AppLink>
          {error !== null && <span class="error">{error.message}</span>}
        </p>
      ))}
    </>
  );
}
