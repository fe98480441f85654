import type { Cluster } from "./cluster.ts";
import { nameOf } from "./object-names.ts";

/**
 * The values that the programs of a version have. Not those of a request, nor what a provider says today: a service that
 * was restarted never saw the one, and the programs keep what they were started with.
 */
export async function secretsIn(cluster: Pick<Cluster, "read">, releaseId: string): Promise<readonly string[]> {
  const secret = await cluster.read("Secret", nameOf(releaseId));
  return Object.values(secret?.data ?? {}).map((value) => Buffer.from(value, "base64").toString());
}
