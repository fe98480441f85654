import type { DocumentToBuild } from "../../kit/outcome-type.ts";
import { pointerPart } from "../../kit/pointer.ts";
import { textsOf } from "../../kit/read-value.ts";
import { dnsNames } from "./dns-names.ts";
import { type GivenEnvironment, type Override, readOverrides } from "./read-overrides.ts";
import type { Service } from "./read-services.ts";
import type { Refuse } from "./refuse.ts";

type Document = DocumentToBuild<"infrastructure">;

const tools = ["compose", "kubernetes", "terraform"] as const;
type Tool = (typeof tools)[number];

export interface Environment {
  readonly name: string;
  /** The file for each tool; null if the environment does not use the tool. */
  readonly compose: string | null;
  readonly kubernetes: string | null;
  readonly terraform: string | null;
  readonly namespace: string;
  readonly tls: { readonly secret: string | null; readonly issuer: string | null } | null;
  /** What is otherwise here, by service. */
  readonly overrides: Readonly<Record<string, Override>>;
}

/** The environments and the files of each; without any, one environment for every tool. */
export function readEnvironments(
  document: Document,
  services: readonly Service[],
  names: ReadonlyMap<string, string>,
  refuse: Refuse,
): readonly Environment[] {
  const defaultRenders = rendersOf(document.stack["renders"], "/stack/renders", refuse) ?? tools;
  const given = Object.entries(document.environments ?? {});
  const entries: readonly (readonly [string, GivenEnvironment])[] = given.length > 0 ? given : [["local", {}]];
  const files = dnsNames(entries.map(([name]) => name));
  const used = new Set<Tool>();
  return entries.map(([name, environment]) => {
    const at = `/environments/${pointerPart(name)}`;
    const here: Refuse = (place, reason) => refuse(`${at}${place}`, reason);
    const renders = rendersOf(environment.stack?.["renders"], `${at}/stack/renders`, refuse) ?? defaultRenders;
    const file = files.get(name)!;
    /** The first environment gets the tool's usual file name; the others get their own name in it. */
    const place = (tool: Tool, first: string, other: string) => {
      if (!renders.includes(tool)) return null;
      const path = used.has(tool) ? other : first;
      used.add(tool);
      return path;
    };
    refuseUnsaid(environment, renders, here);
    if (renders.includes("compose")) refuseSharedVolumes(environment, services, names, here);
    const { tls } = environment;
    return {
      name,
      compose: place("compose", "compose.yaml", `compose.${file}.yaml`),
      kubernetes: renders.includes("kubernetes") ? `kubernetes/${file}.yaml` : null,
      terraform: place("terraform", "terraform/main.tf", `terraform/${file}/main.tf`),
      namespace: environment.namespace ?? file,
      tls: tls === undefined ? null : { secret: tls.secret ?? null, issuer: tls.issuer ?? null },
      overrides: readOverrides(environment, services, names, here),
    };
  });
}

function rendersOf(value: unknown, pointer: string, refuse: Refuse): readonly Tool[] | undefined {
  if (value === undefined) return undefined;
  return textsOf(value).flatMap((word) => {
    const tool = tools.find((known) => known === word);
    if (tool === undefined) refuse(pointer, `Files are written for ${tools.join(", ")}, not for ${word}.`);
    return tool ?? [];
  });
}

/** In Kubernetes each instance has a volume of its own. */
function refuseSharedVolumes(
  { replicas = {} }: GivenEnvironment,
  services: readonly Service[],
  names: ReadonlyMap<string, string>,
  refuse: Refuse,
): void {
  for (const [key, number] of Object.entries(replicas)) {
    const service = services.find(({ name }) => name === names.get(key));
    if (number > 1 && service !== undefined && service.volumes.length > 0)
      refuse(`/replicas/${pointerPart(key)}`, `In Compose the ${number} instances share one volume.`);
  }
}

/** What no file of the environment can say. */
function refuseUnsaid(environment: GivenEnvironment, renders: readonly Tool[], refuse: Refuse): void {
  const inKubernetes = ["namespace", "host", "tls", "autoscaling", "disruption_budget", "backup", "volumes"] as const;
  const inBoth = ["replicas", "limits", "variables"] as const;
  const isInKubernetes = renders.includes("kubernetes");
  const unsaid = isInKubernetes ? [] : [...inKubernetes, ...(renders.includes("compose") ? [] : inBoth)];
  for (const key of unsaid)
    if (environment[key] !== undefined)
      refuse(`/${key}`, `No file of this environment can say this: it renders ${renders.join(", ") || "nothing"}.`);
  if (environment.services !== undefined)
    refuse("/services", `An environment changes services by ${[...inKubernetes, ...inBoth].join(", ")}.`);
}
