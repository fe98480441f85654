import type { CompleteSpec } from "@slipway/spec";
import { pointerPart } from "../../kit/pointer.ts";
import { type Fields, fieldsOf, listOf, numberOf, textOf, textsOf, wholeOf } from "../../kit/read-value.ts";
import type { Unmet } from "../../plugin.ts";
import { readEnvironments } from "./read-environments.ts";
import { dnsNames, readNetwork } from "./read-network.ts";

interface Service extends Fields {
  readonly name: string;
  readonly isPublic: boolean;
}

/** All that is rendered and checked, as data. */
export interface Description extends Fields {
  readonly services: readonly Service[];
  readonly policies: readonly { readonly id: string; readonly rule: string }[];
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

export function readDescription(
  document: CompleteSpec,
  knownPolicies: readonly string[],
): { readonly description: Description; readonly unmet: readonly Unmet[] } {
  const unmet: Unmet[] = [];
  const given = Object.entries(document.services ?? {});
  const names = dnsNames(given.length > 0 ? given.map(([name]) => name) : ["app"]);
  const services =
    given.length > 0
      ? given.map(([name, service]) => serviceOf(document, name, fieldsOf(service), names, unmet))
      : [
          serviceOf(
            document,
            "app",
            { public: true, ports: ["8080:80"], stack: { image: "nginx:1.27.3-alpine" } },
            names,
            [],
          ),
        ];
  const network = readNetwork(document, services, names, unmet);
  return {
    description: {
      name: dnsNames([document.id]).get(document.id)!,
      services,
      environments: readEnvironments(document, services, names, unmet),
      network,
      policies: policiesOf(document, knownPolicies, unmet),
      monitoring: monitoringOf(document, unmet),
    },
    unmet,
  };
}

function serviceOf(
  document: CompleteSpec,
  key: string,
  service: Fields,
  names: ReadonlyMap<string, string>,
  unmet: Unmet[],
): Service {
  const name = names.get(key)!;
  const refuse = (place: string, reason: string) =>
    unmet.push({ pointer: `/services/${pointerPart(key)}${place}`, reason });
  for (const unknown of Object.keys(service).filter((one) => !knownKeys.includes(one)))
    refuse(`/${pointerPart(unknown)}`, "Nothing is made of this: it is not known of a service.");
  const image = imageOf(document, name, fieldsOf(service["stack"]), refuse);
  const ports = portsOf(listOf(service["ports"]));
  const health = healthOf(fieldsOf(service["healthcheck"]));
  const environment = variablesOf(service["environment"]);
  const limits = fieldsOf(service["limits"]);
  const program = image.split("/").at(-1)!.split(/[:@]/)[0]!;
  const port = ports[0]?.container ?? health?.port ?? knownPorts[program] ?? null;
  return {
    name,
    image,
    command: textsOf(service["command"]),
    ports,
    port,
    dependencies: textsOf(service["dependencies"]).flatMap((other) => names.get(other) ?? []),
    isPublic: service["public"] === true,
    health: health === null ? null : { ...health, port: health.command === null ? (health.port ?? port ?? 80) : null },
    limits: {
      memoryMb: wholeOf(limits["memory_mb"], 256, { min: 4, max: 1_000_000 }),
      cpu: numberOf(limits["cpu"], 0.25, { min: 0.01, max: 512 }),
    },
    environment,
    secrets: secretsIn(environment),
    volumes: listOf(service["volumes"]).map((volume, index) => volumeOf(name, volume, index)),
  };
}

const knownKeys = [
  ...["description", "outcome_type", "stack", "ports", "dependencies", "events_published", "events_consumed"],
  ...["public", "healthcheck", "limits", "environment", "volumes", "command"],
];

function imageOf(document: CompleteSpec, name: string, stack: Fields, refuse: (place: string, reason: string) => void) {
  const image = stack["image"];
  if (typeof image === "string" && /^[\w][\w./:@-]*$/.test(image)) return image;
  const own = `registry.example.org/${dnsNames([document.id]).get(document.id)}/${name}:1.0.0`;
  refuse("/stack", `No image is named that could be run; the files say ${own}.`);
  return own;
}

function portsOf(ports: readonly unknown[]): readonly { readonly host: number; readonly container: number }[] {
  return ports.flatMap((port) => {
    const match = /^(?:(\d{1,5}):)?(\d{1,5})(?:\/tcp)?$/.exec(String(port));
    return match === null ? [] : [{ host: Number(match[1] ?? match[2]), container: Number(match[2]) }];
  });
}

function healthOf(check: Fields): { path: string | null; port: number | null; command: string | null } | null {
  if (typeof check["command"] === "string") return { path: null, port: null, command: check["command"] };
  const path = check["path"];
  if (typeof path !== "string" || !/^\/[\w./?=&-]*$/.test(path)) return null;
  const port = typeof check["port"] === "number" ? wholeOf(check["port"], 80, { min: 1, max: 65_535 }) : null;
  return { path, port, command: null };
}

function variablesOf(value: unknown): Readonly<Record<string, string>> {
  const entries = Object.entries(fieldsOf(value)).filter(([name]) => /^[A-Za-z_]\w*$/.test(name) && !(name in {}));
  return Object.fromEntries(entries.map(([name, content]) => [name, String(content)]));
}

function secretsIn(environment: Readonly<Record<string, string>>): readonly string[] {
  const named = Object.values(environment).flatMap(
    (value) => /^\/run\/secrets\/([a-z][\w-]*)$/i.exec(value)?.[1] ?? [],
  );
  return [...new Set(named)];
}

function volumeOf(service: string, value: unknown, index: number) {
  const [source, target] = typeof value === "string" ? value.split(":") : [];
  const volume = fieldsOf(value);
  const name = textOf(volume["name"] ?? source, `${service}-data-${index + 1}`);
  const path = textOf(volume["path"] ?? target, "/data");
  return {
    name: dnsNames([name]).get(name)!,
    path: /^\/[\w./-]*$/.test(path) ? path : "/data",
    sizeGb: wholeOf(volume["size_gb"], 5, { min: 1, max: 100_000 }),
  };
}

function policiesOf(document: CompleteSpec, known: readonly string[], unmet: Unmet[]) {
  return listOf(fieldsOf(document)["policies"]).flatMap((value, index) => {
    const id = typeof value === "string" ? value : textOf(fieldsOf(value)["id"], "");
    if (known.includes(id)) return [{ id, rule: textOf(fieldsOf(value)["rule"], id) }];
    unmet.push({
      pointer: `/policies/${index}`,
      reason: `Such a policy cannot be checked; known are ${known.join(", ")}.`,
    });
    return [];
  });
}

function monitoringOf({ deployment }: CompleteSpec, unmet: Unmet[]): Fields | null {
  const monitoring = fieldsOf(fieldsOf(deployment)["monitoring"]);
  if (Object.keys(monitoring).length === 0) return null;
  const path = textOf(monitoring["metrics_path"], "/metrics");
  const labels = Object.entries(fieldsOf(monitoring["labels"])).filter(
    ([name]) => /^[A-Za-z_]\w*$/.test(name) && !(name in {}),
  );
  const alerts = listOf(monitoring["alerts"]).flatMap((value, index) => {
    const alert = fieldsOf(value);
    if (typeof alert["when"] === "string")
      return [
        {
          name: textOf(alert["name"], `alert ${index + 1}`),
          when: alert["when"],
          forMinutes: wholeOf(alert["for_minutes"], 5, { min: 0, max: 10_000 }),
          severity: textOf(alert["severity"], "warning"),
        },
      ];
    unmet.push({ pointer: `/deployment/monitoring/alerts/${index}`, reason: "An alert needs an expression in when." });
    return [];
  });
  return {
    metricsPath: path.startsWith("/") ? path : `/${path}`,
    intervalSeconds: wholeOf(monitoring["scrape_interval_seconds"], 30, { min: 1, max: 86_400 }),
    labels: Object.fromEntries(labels.map(([name, value]) => [name, String(value)])),
    alerts,
  };
}
