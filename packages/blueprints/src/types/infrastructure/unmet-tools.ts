import type { DocumentToBuild } from "../../kit/outcome-type.ts";
import { pointerPart } from "../../kit/pointer.ts";
import type { Environment } from "./read-environments.ts";
import type { Refuse } from "./refuse.ts";

/** Reports what services say and no file of any environment can: Compose has no sizes, Terraform describes the network alone. */
export function refuseUnsaidOfServices(
  { services = {} }: DocumentToBuild<"infrastructure">,
  environments: readonly Environment[],
  refuse: Refuse,
): void {
  if (environments.some(({ kubernetes }) => kubernetes !== null)) return;
  const isInCompose = environments.some(({ compose }) => compose !== null);
  for (const [name, service] of Object.entries(services)) {
    const at = `/services/${pointerPart(name)}`;
    const unsaid = (place: string) =>
      refuse(
        `${at}/${place}`,
        `No file can say this: only ${isInCompose ? "Kubernetes has it" : "the network is rendered"}.`,
      );
    if (!isInCompose) for (const key of ofContainers) if (service[key] !== undefined) unsaid(key);
    if (!isInCompose) continue;
    for (const [index, volume] of (service.volumes ?? []).entries())
      for (const key of ["size_gb", "class"] as const) if (volume[key] !== undefined) unsaid(`volumes/${index}/${key}`);
  }
}

const ofContainers = ["image", "command", "healthcheck", "limits", "requests", "environment", "volumes"] as const;
