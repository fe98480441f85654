import type { CompleteSpec } from "@slipway/spec";
import { type Fields, fieldsOf, listOf, textOf, textsOf } from "../../kit/read-value.ts";
import type { Unmet } from "../../plugin.ts";

/** A unique DNS name for each name; the same list always gives the same names. */
export function dnsNames(names: readonly string[]): ReadonlyMap<string, string> {
  const taken = new Set<string>();
  const found = new Map<string, string>();
  for (const name of names) {
    const plain = name
      .toLowerCase()
      .replace(/[^a-z\d]+/g, "-")
      .replace(/^[\d-]+|-+$/g, "");
    const base = (plain === "" ? "app" : plain).slice(0, 40).replace(/-+$/, "");
    let unique = base;
    for (let number = 2; taken.has(unique); number += 1) unique = `${base}-${number}`;
    taken.add(unique);
    found.set(name, unique);
  }
  return found;
}

interface Placed {
  readonly name: string;
  readonly isPublic: boolean;
}

/** The subnets and their services: as the document says, else one for public services and one for the rest. */
export function readNetwork(
  document: CompleteSpec,
  services: readonly Placed[],
  names: ReadonlyMap<string, string>,
  unmet: Unmet[],
): Fields {
  const plan = fieldsOf(fieldsOf(document)["network_plan"]);
  const given = listOf(plan["subnets"]).map(fieldsOf);
  const labels = given.map((subnet, index) => textOf(subnet["name"], `subnet-${index + 1}`));
  const subnetNames = dnsNames(labels);
  const subnets = given.map((subnet, index) => ({
    name: subnetNames.get(labels[index]!)!,
    cidr: cidrOf(subnet["cidr"], `10.0.${index}.0/24`, `/network_plan/subnets/${index}/cidr`, unmet),
    holds: textsOf(subnet["holds"]).flatMap((name) => names.get(name) ?? []),
  }));
  const placed = new Set(subnets.flatMap(({ holds }) => holds));
  const rest = services.filter(({ name }) => !placed.has(name));
  const taken = new Set(subnets.map(({ name }) => name));
  const add = (name: string, holds: readonly Placed[], third: number) => {
    if (holds.length === 0) return;
    const free = taken.has(name) ? `${name}-rest` : name;
    subnets.push({ name: free, cidr: `10.0.${third}.0/24`, holds: holds.map((service) => service.name) });
  };
  add(
    "public",
    rest.filter(({ isPublic }) => isPublic),
    100,
  );
  add(
    "private",
    rest.filter(({ isPublic }) => !isPublic),
    101,
  );
  const name = textOf(plan["name"], document.id);
  return {
    name: dnsNames([name]).get(name),
    cidr: cidrOf(plan["cidr"], "10.0.0.0/16", "/network_plan/cidr", unmet),
    subnets,
  };
}

function cidrOf(value: unknown, fallback: string, pointer: string, unmet: Unmet[]): string {
  if (typeof value === "string" && /^(?:\d{1,3}\.){3}\d{1,3}\/\d{1,2}$/.test(value)) return value;
  if (value !== undefined) unmet.push({ pointer, reason: `This is no range of addresses; it is ${fallback}.` });
  return fallback;
}
