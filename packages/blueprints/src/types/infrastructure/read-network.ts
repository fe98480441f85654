import type { DocumentToBuild } from "../../kit/outcome-type.ts";
import { dnsNames } from "./dns-names.ts";
import type { Service } from "./read-services.ts";
import type { Refuse } from "./refuse.ts";
import { loadProgram } from "./render-description.ts";

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
  const add = (name: string, holds: readonly Service[], number: number) => {
    if (holds.length === 0) return;
    const free = taken.has(name) ? `${name}-rest` : name;
    const cidr = freeRange(plan.cidr, subnets, number);
    if (cidr === undefined)
      refuse("/network_plan/cidr", `It has no room for the subnet '${free}', which holds the rest.`);
    subnets.push({ name: free, cidr: cidr ?? plan.cidr, holds: holds.map((service) => service.name) });
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

/** A range in the network that no subnet has: the one of this number if it is free, else the first that is. */
function freeRange(cidr: string, subnets: Network["subnets"], number: number): string | undefined {
  const { rangeOf, cidrOf } = loadProgram();
  const whole = rangeOf(cidr);
  const bits = Math.max(24, Number(cidr.split("/")[1]) + 2);
  if (bits > 32) return undefined;
  const size = 2 ** (32 - bits);
  const taken = subnets.map((subnet) => rangeOf(subnet.cidr));
  const isFree = (first: number) =>
    first + size - 1 <= whole.last && taken.every((other) => first > other.last || first + size - 1 < other.first);
  const preferred = whole.first + number * size;
  const all = Array.from({ length: maxTriedRanges }, (_, index) => whole.first + index * size);
  const found = [preferred, ...all].find(isFree);
  return found === undefined ? undefined : cidrOf(found, bits);
}

const maxTriedRanges = 1_024;
