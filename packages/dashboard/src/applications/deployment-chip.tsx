import type { Deployment } from "@slipway/contract";
import { Chip } from "../parts/status.tsx";

const tones = { starting: "busy", live: "good", unhealthy: "bad", stopped: "idle" } as const;

/** How what is deployed was seen last. */
export function DeploymentChip({ status }: { readonly status: Deployment["status"] }) {
  return <Chip tone={tones[status]}>{status}</Chip>;
}
