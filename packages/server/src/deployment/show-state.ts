import type { Deployment } from "@slipway/contract";
import type { ReleaseRow } from "./release-store.ts";
import type { DeploymentRow } from "./store.ts";

/** What people are told of a deployment: what they want of it, else what was seen of it. */
export function deploymentStatus(
  { wanted, health }: Pick<DeploymentRow, "wanted" | "health">,
  /** The version that is to be live. */
  release: Pick<ReleaseRow, "status"> | undefined,
): Deployment["status"] {
  // Wanted or not: nothing keeps it alive.
  if (wanted === "stopped" || health === "stopped") return "stopped";
  if (health === "unhealthy") return "unhealthy";
  return health === "healthy" && release?.status === "live" ? "live" : "starting";
}

/** The address of a deployment; null for what is not reached over HTTP. */
export function deploymentUrl(
  addressHost: string,
  { port, url }: { readonly port: number | null; readonly url?: string | null },
): string | null {
  if (url) return url;
  if (port === null) return null;
  return `http://${addressHost.includes(":") ? `[${addressHost}]` : addressHost}:${port}`;
}
