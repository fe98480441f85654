import type { DocumentToBuild } from "../../kit/outcome-type.ts";
import { pointerPart } from "../../kit/pointer.ts";
import { type Resources, type Service, type Variables, variablesOf } from "./read-services.ts";
import type { Refuse } from "./refuse.ts";

export type GivenEnvironment = NonNullable<DocumentToBuild<"infrastructure">["environments"]>[string];

/** What is otherwise about a service in an environment. */
export interface Override extends Partial<Variables> {
  readonly replicas?: number;
  readonly host?: string;
  readonly limits?: Partial<Resources>;
  readonly volumes?: Readonly<Record<string, { readonly sizeGb?: number; readonly class?: string }>>;
  readonly autoscaling?: {
    readonly min: number;
    readonly max: number;
    readonly cpuPercent: number | null;
    readonly memoryPercent: number | null;
  };
  readonly disruptionBudget?: { readonly minAvailable: number | null; readonly maxUnavailable: number | null };
  readonly backup?: {
    readonly schedule: string;
    readonly command: string;
    readonly keepDays: number;
    readonly sizeGb: number;
  };
}

/** Reads what an environment changes, by service. Reports what contradicts itself or names nothing. */
export function readOverrides(
  environment: GivenEnvironment,
  services: readonly Service[],
  names: ReadonlyMap<string, string>,
  refuse: Refuse,
): Readonly<Record<string, Override>> {
  refuseUnknown(environment, services, names, refuse);
  const hosts = hostsOf(environment, services, names, refuse);
  return Object.fromEntries(
    [...names].flatMap(([key, name]): [string, Override][] => {
      const service = services.find((one) => one.name === name)!;
      const override = overrideOf(environment, service, key, refuse);
      const host = hosts.get(name);
      const whole = host === undefined ? override : { ...override, host };
      return Object.keys(whole).length === 0 ? [] : [[name, whole]];
    }),
  );
}

function overrideOf(environment: GivenEnvironment, service: Service, key: string, refuse: Refuse): Override {
  const replicas = environment.replicas?.[key];
  const limits = environment.limits?.[key];
  const variables = environment.variables?.[key];
  const scaling = environment.autoscaling?.[key];
  const backup = environment.backup?.[key];
  const at = pointerPart(key);
  if (scaling !== undefined && replicas !== undefined)
    refuse(`/replicas/${at}`, "Its 'autoscaling' decides how many there are.");
  if (scaling !== undefined && scaling.min > scaling.max)
    refuse(`/autoscaling/${at}`, "The minimum is above the maximum: the check of the files will fail.");
  const budget = budgetOf(environment, key, scaling?.min ?? replicas ?? 1, refuse);
  return {
    ...(replicas !== undefined && { replicas }),
    ...(limits !== undefined && {
      limits: {
        ...(limits.memory_mb !== undefined && { memoryMb: limits.memory_mb }),
        ...(limits.cpu !== undefined && { cpu: limits.cpu }),
      },
    }),
    ...(variables !== undefined &&
      variablesOf(variables, (place, reason) => refuse(`/variables/${at}/${place}`, reason))),
    ...volumesOf(environment, service),
    ...(scaling !== undefined && {
      autoscaling: {
        min: scaling.min,
        max: scaling.max,
        cpuPercent: scaling.cpu_percent ?? (scaling.memory_percent === undefined ? 70 : null),
        memoryPercent: scaling.memory_percent ?? null,
      },
    }),
    ...(budget !== undefined && { disruptionBudget: budget }),
    ...(backup !== undefined && {
      backup: {
        schedule: backup.schedule,
        command: backup.command,
        keepDays: backup.keep_days ?? 7,
        sizeGb: backup.size_gb ?? 10,
      },
    }),
  };
}

function volumesOf({ volumes = {} }: GivenEnvironment, service: Service): Pick<Override, "volumes"> {
  const changed = service.volumes.flatMap(({ name }) => {
    const given = Object.hasOwn(volumes, name) ? volumes[name] : undefined;
    if (given === undefined) return [];
    const { size_gb: sizeGb, class: storage } = given;
    return [[name, { ...(sizeGb !== undefined && { sizeGb }), ...(storage !== undefined && { class: storage }) }]];
  });
  return changed.length === 0 ? {} : { volumes: Object.fromEntries(changed) };
}

function budgetOf({ disruption_budget: budgets }: GivenEnvironment, key: string, instances: number, refuse: Refuse) {
  const budget = budgets?.[key];
  if (budget === undefined) return undefined;
  const { min_available: minAvailable, max_unavailable: maxUnavailable } = budget;
  const at = `/disruption_budget/${pointerPart(key)}`;
  if ((minAvailable === undefined) === (maxUnavailable === undefined)) {
    refuse(at, "Say either 'min_available' or 'max_unavailable'; it is left out.");
    return undefined;
  }
  if (minAvailable !== undefined && minAvailable >= instances)
    refuse(at, `With ${instances} of it, no machine could ever be replaced: the check of the files will fail.`);
  return { minAvailable: minAvailable ?? null, maxUnavailable: maxUnavailable ?? null };
}

/** The host of each public service. */
function hostsOf(
  { host, tls }: GivenEnvironment,
  services: readonly Service[],
  names: ReadonlyMap<string, string>,
  refuse: Refuse,
): ReadonlyMap<string, string> {
  const open = services.filter(({ isPublic }) => isPublic).map(({ name }) => name);
  if (tls !== undefined && host === undefined) refuse("/tls", "A certificate is for a name: say 'host'.");
  if (host === undefined) return new Map();
  if (typeof host === "string") {
    if (open.length !== 1)
      refuse("/host", `${open.length} services are public: give each a name of its own, by service.`);
    return new Map(open.slice(0, 1).map((name) => [name, host]));
  }
  const found = Object.entries(host).flatMap(([key, value]): [string, string][] => {
    const name = names.get(key);
    if (name !== undefined && open.includes(name)) return [[name, value]];
    refuse(`/host/${pointerPart(key)}`, "There is no public service of this name.");
    return [];
  });
  return new Map(found);
}

function refuseUnknown(
  environment: GivenEnvironment,
  services: readonly Service[],
  names: ReadonlyMap<string, string>,
  refuse: Refuse,
): void {
  const byService = ["replicas", "limits", "variables", "autoscaling", "disruption_budget", "backup"] as const;
  for (const key of byService)
    for (const name of Object.keys(environment[key] ?? {}))
      if (!names.has(name)) refuse(`/${key}/${pointerPart(name)}`, "There is no such service.");
  const volumes = new Set(services.flatMap((service) => service.volumes.map(({ name }) => name)));
  for (const name of Object.keys(environment.volumes ?? {}))
    if (!volumes.has(name)) refuse(`/volumes/${pointerPart(name)}`, "No service has such a volume.");
}
