import type { DocumentToBuild } from "../../kit/outcome-type.ts";
import { pointerPart } from "../../kit/pointer.ts";
import { dnsNames } from "./dns-names.ts";
import type { Refuse } from "./refuse.ts";

type Document = DocumentToBuild<"infrastructure">;
type GivenService = NonNullable<Document["services"]>[string];

export interface Resources {
  readonly memoryMb: number;
  readonly cpu: number;
}

/** Environment variables: those with a value, and those that have that of a secret. */
export interface Variables {
  readonly environment: Readonly<Record<string, string>>;
  readonly secretVariables: Readonly<Record<string, string>>;
  /** Secrets that are mounted as files, because a variable names the file. */
  readonly secrets: readonly string[];
}

export interface Service extends Variables {
  readonly name: string;
  readonly image: string;
  readonly command: readonly string[];
  readonly ports: readonly { readonly host: number; readonly container: number }[];
  readonly port: number | null;
  readonly dependencies: readonly string[];
  readonly isPublic: boolean;
  readonly health: {
    readonly path: string | null;
    readonly port: number | null;
    readonly command: string | null;
  } | null;
  readonly limits: Resources;
  readonly requests: Resources | null;
  readonly volumes: readonly {
    readonly name: string;
    readonly path: string;
    readonly sizeGb: number;
    readonly class: string | null;
  }[];
}

/** The port that a well-known program listens on, by the name of its image. */
const knownPorts: Readonly<Record<string, number>> = {
  nginx: 80,
  httpd: 80,
  caddy: 80,
  traefik: 80,
  postgres: 5432,
  mysql: 3306,
  mariadb: 3306,
  redis: 6379,
  mongo: 27017,
  rabbitmq: 5672,
  memcached: 11211,
};

/** Reads the services; `names` has a name that every tool accepts for each of them. */
export function readServices(
  document: Document,
  names: ReadonlyMap<string, string>,
  refuse: Refuse,
): readonly Service[] {
  return Object.entries(document.services ?? {}).map(([key, service]) => {
    const at = `/services/${pointerPart(key)}`;
    return serviceOf(document, service, { key, names, refuse: (place, reason) => refuse(`${at}${place}`, reason) });
  });
}

function serviceOf(
  { id }: Document,
  service: GivenService,
  { key, names, refuse }: { key: string; names: ReadonlyMap<string, string>; refuse: Refuse },
): Service {
  const name = names.get(key)!;
  const image = imageOf(service, `registry.example.org/${dnsNames([id]).get(id)}/${name}:1.0.0`, refuse);
  const ports = service.ports.map((port) => {
    const [host, container] = port.split(":").map(Number);
    return { host: host!, container: container! };
  });
  const health = healthOf(service.healthcheck, refuse);
  const program = image.split("/").at(-1)!.split(/[:@]/)[0]!;
  const port = ports[0]?.container ?? health?.port ?? knownPorts[program] ?? null;
  const limits = { memoryMb: service.limits?.memory_mb ?? 256, cpu: service.limits?.cpu ?? 0.25 };
  return {
    name,
    image,
    command: [...(service.command ?? [])],
    ports,
    port,
    dependencies: service.dependencies.flatMap((other) => names.get(other) ?? []),
    isPublic: service.public === true,
    health: health === null ? null : { ...health, port: health.command === null ? (health.port ?? port ?? 80) : null },
    limits,
    requests: requestsOf(service, limits, refuse),
    ...variablesOf(service.environment ?? {}, (variable, reason) => refuse(`/environment/${variable}`, reason)),
    volumes: (service.volumes ?? []).map((volume) => ({
      name: volume.name,
      path: volume.path,
      sizeGb: volume.size_gb ?? 5,
      class: volume.class ?? null,
    })),
  };
}

function imageOf({ image, stack }: GivenService, own: string, refuse: Refuse): string {
  const named = image ?? stack?.["image"];
  if (typeof named === "string" && /^[A-Za-z0-9][\w./:@-]*$/.test(named)) return named;
  refuse("/stack", `No image is named that could be run: say 'image'. The files say ${own}.`);
  return own;
}

function healthOf(check: GivenService["healthcheck"], refuse: Refuse): Service["health"] {
  if (check === undefined) return null;
  if (check.command !== undefined) return { path: null, port: null, command: check.command };
  if (check.path !== undefined) return { path: check.path, port: check.port ?? null, command: null };
  refuse("/healthcheck", "A health check needs a 'path' or a 'command'.");
  return null;
}

function requestsOf({ requests }: GivenService, limits: Resources, refuse: Refuse): Resources | null {
  if (requests === undefined) return null;
  const { memory_mb: memoryMb = limits.memoryMb, cpu = limits.cpu } = requests;
  if (memoryMb > limits.memoryMb || cpu > limits.cpu)
    refuse("/requests", "It asks for more than its 'limits' allow; it gets as much as those.");
  return { memoryMb: Math.min(memoryMb, limits.memoryMb), cpu: Math.min(cpu, limits.cpu) };
}

type GivenVariables = NonNullable<GivenService["environment"]>;

/** Splits variables by where their value comes from. */
export function variablesOf(given: GivenVariables, refuse: Refuse): Variables {
  const environment: [string, string][] = [];
  const secretVariables: [string, string][] = [];
  for (const [name, value] of Object.entries(given)) {
    if (!/^[A-Za-z_]\w*$/.test(name)) refuse(pointerPart(name), "No variable can be called so; it is left out.");
    else if (typeof value === "object") secretVariables.push([name, value.secret]);
    else environment.push([name, String(value)]);
  }
  const secrets = environment.flatMap(([, value]) => /^\/run\/secrets\/([a-z][\w-]*)$/i.exec(value)?.[1] ?? []);
  return {
    environment: Object.fromEntries(environment),
    secretVariables: Object.fromEntries(secretVariables),
    secrets: [...new Set(secrets)],
  };
}
