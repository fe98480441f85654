import type { ReleaseRow } from "./release-store.ts";

/** How many versions can be gone back to. */
const maxKept = 5;

/** The versions whose files are kept, of those of a deployment, newest first: the live one, and those to go back to. */
export function keptReleases(releases: readonly ReleaseRow[]): ReadonlySet<string> {
  const usable = releases.filter(({ status }) => status !== "failed").slice(0, maxKept);
  const live = releases.filter(({ status }) => status === "live" || status === "preparing");
  return new Set([...usable, ...live].map(({ id }) => id));
}
