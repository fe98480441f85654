import {
  findPreviousRelease,
  findRelease,
  goBack,
  keptReleases,
  type ReleaseRow,
  selectReleases,
} from "../../deployment/index.ts";
import { appendEvent } from "../../engine/events/index.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/index.ts";
import { Refusal } from "../../platform/errors/index.ts";
import { Masker } from "../../platform/secrets/index.ts";
import { type Changed, requireNoneDeploying } from "./require-deployment.ts";
import { want } from "./store.ts";

interface Asked {
  /** The version to go back to; undefined: the one that was live before. */
  readonly asked: string | undefined;
  readonly reason: string;
  readonly by: string;
}

/** How many versions a deployment may have had for one of them to be gone back to: files of older ones are not kept. */
const maxReleases = 100;

/** Makes an earlier version the one that is wanted; returns it, and the project whose log tells of it. */
export async function rollBack(
  { clock, addressHost }: { readonly clock: Clock; readonly addressHost: string },
  { trx, row, release, now }: Changed,
  { asked, reason, by }: Asked,
): Promise<{ told: string; wanted: string }> {
  await requireNoneDeploying(trx, row.id);
  const to =
    asked === undefined ? await findPreviousRelease(trx, row.id, row.release_id) : await findRelease(trx, asked);
  if (asked !== undefined && to?.deployment_id !== row.id)
    throw new Refusal("not_found", `The deployment has no version ${asked}.`);
  if (to === undefined) throw new Refusal("conflict", "There is no version before this one to go back to.");
  const refusal = whyNot(to, row.release_id, keptReleases(await selectReleases(trx, row.id, maxReleases)));
  if (refusal !== undefined) throw new Refusal("conflict", refusal);
  const deps = {
    ...{ clock, addressHost },
    append: (...[at, projectId, name, data]: Parameters<Parameters<typeof goBack>[0]["append"]>) =>
      appendEvent(at, clock, projectId, name, data),
  };
  const why = new Masker([]).mask(reason || `${by} asked for it.`);
  const told = await goBack(deps, trx, { row, from: release, to, reason: why });
  await want(trx, row.id, { wanted: "running", restart_asked_at: null }, now);
  return { told, wanted: to.id };
}

function whyNot(to: ReleaseRow, liveId: string | null, kept: ReadonlySet<string>): string | undefined {
  const name = `The version ${to.version} (${to.id})`;
  if (to.id === liveId) return `${name} is the one that is live.`;
  switch (to.status) {
    case "failed":
      return `${name} failed: ${to.error ?? ""} Deploy it again.`;
    case "preparing":
      return `${name} is being deployed.`;
    case "live":
    case "retired":
      return kept.has(to.id) ? undefined : `${name} is too old: its files are no longer kept. Deploy it again.`;
  }
}

/** Refuses if the version that was wanted could not be started: then another one is wanted again. */
export async function requireRunning(db: Database, releaseId: string): Promise<void> {
  const release = await findRelease(db, releaseId);
  if (release?.status !== "failed") return;
  throw new Refusal(
    "conflict",
    `The version ${release.version} could not be started, so nothing was changed: ${release.error ?? ""}`,
  );
}
