import type { Clock } from "../platform/clock.ts";
import type { Transaction } from "../platform/database/index.ts";
import type { Masked } from "../platform/secrets/index.ts";
import type { DeploymentNews } from "./health.ts";
import type { ReleaseRow } from "./release-store.ts";
import { deploymentUrl } from "./show-state.ts";
import { type DeploymentRow, wantRelease } from "./store.ts";

interface Deps {
  readonly clock: Clock;
  /** Where deployed software listens. */
  readonly addressHost: string;
  readonly append: DeploymentNews["append"];
}

interface Change {
  readonly row: DeploymentRow;
  /** The version that is live; undefined if its project was deleted. */
  readonly from: ReleaseRow | undefined;
  readonly to: ReleaseRow;
  readonly reason: Masked;
}

/** Makes an earlier version the one that is wanted, and tells of it in the log of the project that it returns. */
export async function goBack(
  { clock, addressHost, append }: Deps,
  trx: Transaction,
  { row, from, to, reason }: Change,
): Promise<string> {
  await wantRelease(trx, row.id, { releaseId: to.id, from: from?.id ?? null, now: clock.now() });
  const told = (from ?? to).project_id;
  await append(trx, told, "deployment.rolled_back", {
    ...{ deployment_id: row.id, environment: row.environment, version: to.version },
    url: deploymentUrl(addressHost, row) ?? "",
    ...{ from_version: from?.version ?? "", reason },
  });
  return told;
}
