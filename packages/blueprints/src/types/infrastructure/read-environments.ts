import type { CompleteSpec } from "@slipway/spec";
import { pointerPart } from "../../kit/pointer.ts";
import { type Fields, fieldsOf, textsOf, wholeOf } from "../../kit/read-value.ts";
import type { Unmet } from "../../plugin.ts";
import { dnsNames } from "./read-network.ts";

const tools = ["compose", "kubernetes", "terraform"] as const;

export interface Environment extends Fields {
  readonly name: string;
  /** The file for each tool; null if the environment does not use the tool. */
  readonly compose: string | null;
  readonly kubernetes: string | null;
  readonly terraform: string | null;
}

/** The environments and the files of each; without any, one environment for every tool. */
export function readEnvironments(
  document: CompleteSpec,
  services: readonly { readonly name: string }[],
  names: ReadonlyMap<string, string>,
  unmet: Unmet[],
): readonly Environment[] {
  const defaultRenders = rendersOf(document.stack["renders"], "/stack/renders", unmet) ?? tools;
  const given = Object.entries(document.environments ?? {});
  const entries: readonly (readonly [string, Fields])[] =
    given.length > 0 ? given.map(([name, value]) => [name, fieldsOf(value)]) : [["local", {}]];
  const files = dnsNames(entries.map(([name]) => name));
  const used = new Set<string>();
  return entries.map(([name, environment]) => {
    const pointer = `/environments/${pointerPart(name)}`;
    const renders =
      rendersOf(fieldsOf(environment["stack"])["renders"], `${pointer}/stack/renders`, unmet) ?? defaultRenders;
    const file = files.get(name)!;
    /** The first environment gets the tool's usual file name; the others get their own name in it. */
    const place = (tool: (typeof tools)[number], first: string, other: string) => {
      if (!renders.includes(tool)) return null;
      const path = used.has(tool) ? other : first;
      used.add(tool);
      return path;
    };
    const namespace = environment["namespace"];
    const host = environment["host"];
    return {
      name,
      compose: place("compose", "compose.yaml", `compose.${file}.yaml`),
      kubernetes: renders.includes("kubernetes") ? `kubernetes/${file}.yaml` : null,
      terraform: place("terraform", "terraform/main.tf", `terraform/${file}/main.tf`),
      replicas: replicasOf(fieldsOf(environment["replicas"]), services, names),
      namespace: typeof namespace === "string" ? dnsNames([namespace]).get(namespace) : file,
      host: typeof host === "string" && /^[a-z\d][a-z\d.-]*$/.test(host) ? host : null,
    };
  });
}

function rendersOf(value: unknown, pointer: string, unmet: Unmet[]): readonly string[] | undefined {
  if (value === undefined) return undefined;
  const wanted = textsOf(value);
  for (const tool of wanted)
    if (!tools.some((known) => known === tool))
      unmet.push({ pointer, reason: `Files are written for ${tools.join(", ")}, not for ${tool}.` });
  return wanted.filter((tool) => tools.some((known) => known === tool));
}

function replicasOf(
  replicas: Fields,
  services: readonly { readonly name: string }[],
  names: ReadonlyMap<string, string>,
) {
  const given = new Map([...names].map(([key, name]) => [name, replicas[key]]));
  return Object.fromEntries(services.map(({ name }) => [name, wholeOf(given.get(name), 1, { min: 0, max: 1000 })]));
}
