import type { DocumentToBuild } from "../../kit/outcome-type.ts";
import { dnsNames } from "./dns-names.ts";
import type { Service } from "./read-services.ts";
import type { Refuse } from "./refuse.ts";

export interface Network {
  readonly name: string;
  readonly cidr: string;
  readonly subnets: readonly { readonly name: string; readonly cidr: string; readonly holds: readonly string[] }[];
}

/** The subnets and their services: as the document says, else one for public services and one for the rest. */
export function readNetwork(
  { id, network_plan: plan }: DocumentToBuild<"infrastructure">,
  services: readonly Service[],
  names: ReadonlyMap<string, string>,
  refuse: Refuse,
): Network {
  const subnetNames = dnsNames(plan.subnets.map(({ name }) => name));
  const subnets = plan.subnets.map(({ name, cidr, holds }, index) => ({
    name: subnetNames.get(name)!,
    cidr,
    holds: holds.flatMap((service, at) => {
      if (!names.has(service)) refuse(`/network_plan/subnets/${index}/holds/${at}`, "There is no such service.");
      return names.get(service) ?? [];
    }),
  }));
  const placed = new Set(subnets.flatMap(({ holds }) => holds));
  const rest = services.filter(({ name }) => !placed.has(name));
  const taken = new Set(subnets.map(({ name }) => name));
  const [first, second] = plan.cidr.split(".");
  const add = (name: string, holds: readonly Service[], third: number) => {
    if (holds.length === 0) return;
    const free = taken.has(name) ? `${name}-rest` : name;
    subnets.push({ name: free, cidr: `${first}.${second}.${third}.0/24`, holds: holds.map((service) => service.name) });
  };
  const isPublic = (service: Service) => service.isPublic;
  add("public", rest.filter(isPublic), 100);
  add(
    "private",
    rest.filter((service) => !isPublic(service)),
    101,
  );
  const name = plan.name ?? id;
  return { name: dnsNames([name]).get(name)!, cidr: plan.cidr, subnets };
}
