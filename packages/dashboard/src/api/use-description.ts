import { client } from "../data/client.ts";
import { type Known, useQuery } from "../data/query-cache.ts";
import { type Description, describe, type OpenApi } from "./description.ts";

/** The endpoints, from the service that answers. */
export const useDescription = (): Known<Description> =>
  useQuery("api-description", async () => describe((await client.call("readOpenApi")) as unknown as OpenApi));
