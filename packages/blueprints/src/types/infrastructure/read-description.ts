import { infrastructurePolicies } from "@slipway/spec";
import type { DocumentToBuild } from "../../kit/outcome-type.ts";
import { pointerPart } from "../../kit/pointer.ts";
import { type Fields, fieldsOf, listOf, textOf, wholeOf } from "../../kit/read-value.ts";
import type { Unmet } from "../../plugin.ts";
import { dnsNames } from "./dns-names.ts";
import { type Environment, readEnvironments } from "./read-environments.ts";
import { type Network, readNetwork } from "./read-network.ts";
import { readServices, type Service } from "./read-services.ts";
import type { Refuse } from "./refuse.ts";
import { refuseUnsaidOfServices } from "./unmet-tools.ts";

type Document = DocumentToBuild<"infrastructure">;

/** All that is rendered and checked, as data. */
export interface Description {
  readonly name: string;
  readonly services: readonly Service[];
  readonly environments: readonly Environment[];
  readonly network: Network;
  readonly policies: readonly Policy[];
  readonly monitoring: Fields | null;
}

interface Policy {
  readonly id: keyof typeof infrastructurePolicies;
  readonly rule: string;
  /** Where it holds; null if everywhere. */
  readonly environments: readonly string[] | null;
}

export function readDescription(document: Document): {
  readonly description: Description;
  readonly unmet: readonly Unmet[];
} {
  const unmet: Unmet[] = [];
  const refuse: Refuse = (pointer, reason) => unmet.push({ pointer, reason });
  const names = dnsNames(Object.keys(document.services ?? {}));
  const services = readServices(document, names, refuse);
  const environments = readEnvironments(document, services, names, refuse);
  refuseUnsaidOfServices(document, environments, refuse);
  return {
    description: {
      name: dnsNames([document.id]).get(document.id)!,
      services,
      environments,
      network: readNetwork(document, services, names, refuse),
      policies: policiesOf(document, environments, refuse),
      monitoring: monitoringOf(document, unmet),
    },
    unmet,
  };
}

function policiesOf({ policies }: Document, environments: readonly Environment[], refuse: Refuse): readonly Policy[] {
  return policies.map((policy, index) => {
    if (typeof policy === "string") return { id: policy, rule: infrastructurePolicies[policy], environments: null };
    const { id, rule = infrastructurePolicies[id], environments: where } = policy;
    for (const [at, name] of (where ?? []).entries())
      if (!environments.some((one) => one.name === name))
        refuse(`/policies/${index}/environments/${at}`, "There is no such environment.");
    return { id, rule, environments: where === undefined ? null : [...where] };
  });
}

function monitoringOf({ deployment }: Document, unmet: Unmet[]): Fields | null {
  const monitoring = fieldsOf(fieldsOf(deployment)["monitoring"]);
  if (Object.keys(monitoring).length === 0) return null;
  for (const key of Object.keys(monitoring).filter((name) => !knownMonitoring.includes(name)))
    unmet.push({ pointer: `/deployment/monitoring/${pointerPart(key)}`, reason: "Nothing is made of this." });
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

const knownMonitoring = ["metrics_path", "scrape_interval_seconds", "labels", "alerts"];
