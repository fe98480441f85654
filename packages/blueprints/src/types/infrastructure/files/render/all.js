import { toHcl } from "../formats/hcl.js";
import { toYaml, toYamlStream } from "../formats/yaml.js";
import { composeFile } from "./compose.js";
import { diagram } from "./diagram.js";
import { servicesIn } from "./in-environment.js";
import { manifests } from "./kubernetes.js";
import { alertRules, scrapeConfig } from "./monitoring.js";
import { network } from "./terraform.js";

/** Every file that the description becomes, by path. A pure function: the same description gives the same bytes. */
export function renderAll(description) {
  const files = { "docs/diagram.svg": diagram(description) };
  for (const environment of description.environments) {
    const here = { ...description, services: servicesIn(description, environment) };
    if (environment.compose !== null) files[environment.compose] = toYaml(composeFile(here));
    if (environment.kubernetes !== null) files[environment.kubernetes] = toYamlStream(manifests(here, environment));
    if (environment.terraform !== null) files[environment.terraform] = toHcl(network(here, environment));
  }
  if (description.monitoring !== null) {
    files["monitoring/prometheus.yaml"] = toYaml(scrapeConfig(description));
    files["monitoring/alerts.yaml"] = toYaml(alertRules(description));
  }
  return files;
}
