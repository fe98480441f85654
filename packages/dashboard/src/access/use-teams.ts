import type { Answer } from "@slipway/client";
import { client } from "../data/client.ts";
import { useQuery } from "../data/query-cache.ts";

type Team = Answer<"listTeams">["teams"][number];

interface Teams {
  /** Those that one is in; an administrator's are all. */
  readonly teams: readonly Team[];
  /** Until its name is known, its id. */
  readonly nameOf: (teamId: string) => string;
}

/** The teams that somebody may name. */
export function useTeams(): Teams {
  const { data = [] } = useQuery("users/team-names", async () => {
    const { teams } = await client.call("listTeams", { query: { limit: 100 } });
    return teams;
  });
  return { teams: data, nameOf: (teamId) => data.find(({ team_id }) => team_id === teamId)?.name ?? teamId };
}
