import assert from "node:assert/strict";
import { test } from "node:test";
import { sampleDescription } from "#check/sample.js";
import { parseYaml, parseYamlStream } from "#formats/yaml.js";
import { renderAll } from "#render/all.js";

const description = sampleDescription();
const files = renderAll(description);
const compose = parseYaml(files["compose.yaml"]);
const manifests = parseYamlStream(files["kubernetes/production.yaml"]);
const find = (kind, name) => manifests.find((manifest) => manifest.kind === kind && manifest.metadata.name === name);

test("Compose starts services after those they depend on, and opens only the public ones", () => {
  const { door, app, store } = compose.services;
  assert.deepEqual(door.ports, ["8080:80"]);
  assert.equal(app.ports, undefined);
  assert.deepEqual(app.depends_on, { store: { condition: "service_healthy" } });
  assert.deepEqual(door.depends_on, { app: { condition: "service_started" } });
  assert.deepEqual(door.networks, ["front", "back"]);
  assert.deepEqual(compose.networks, { front: {}, back: { internal: true } });
  assert.deepEqual(store.volumes, ["store-data:/data"]);
  assert.deepEqual(compose.secrets, { store_password: { environment: "STORE_PASSWORD" } });
  assert.deepEqual(app.deploy.resources.limits, { memory: "64M", cpus: "0.5" });
  assert.equal(store.healthcheck.test[1], "is-ready");
});

test("Kubernetes keeps data in a set with a claim, and everything else in deployments", () => {
  assert.equal(find("Deployment", "app").spec.replicas, 2);
  const store = find("StatefulSet", "store");
  assert.equal(store.spec.volumeClaimTemplates[0].spec.resources.requests.storage, "2Gi");
  assert.deepEqual(store.spec.template.spec.containers[0].readinessProbe.exec.command, ["/bin/sh", "-c", "is-ready"]);
  assert.equal(find("Service", "store").spec.clusterIP, "None");
  assert.equal(find("Service", "lonely"), undefined);
});

test("only who depends on a service reaches it, and from outside only the public one", () => {
  const from = find("NetworkPolicy", "reach-app").spec.ingress[0].from;
  assert.deepEqual(from[0].podSelector.matchLabels, { "app.kubernetes.io/name": "door" });
  assert.deepEqual(find("NetworkPolicy", "reach-lonely").spec.ingress, []);
  assert.deepEqual(manifests.filter(({ kind }) => kind === "Ingress").map(({ metadata }) => metadata.name), ["door"]);
  assert.equal(find("Ingress", "door").spec.rules[0].host, "sample.example.org");
});

test("Terraform has a network with its subnets, and a group for each service", () => {
  const text = files["terraform/main.tf"];
  assert.match(text, /resource "aws_vpc" "main" \{\n {2}cidr_block {11}= "10\.0\.0\.0\/16"/);
  assert.equal(text.match(/resource "aws_subnet"/g).length, 2);
  assert.equal(text.match(/resource "aws_security_group"/g).length, 4);
});

test("the diagram shows every service and every dependency", () => {
  const svg = files["docs/diagram.svg"];
  for (const { name } of description.services) assert.ok(svg.includes(`>${name}</text>`));
  assert.equal(svg.match(/marker-end/g).length, 2);
});

test("Prometheus asks what can be asked, and alerts as described", () => {
  const { scrape_configs: jobs } = parseYaml(files["monitoring/prometheus.yaml"]);
  assert.deepEqual(jobs[0].static_configs.map(({ targets }) => targets[0]), ["door:80"]);
  const { groups } = parseYaml(files["monitoring/alerts.yaml"]);
  assert.deepEqual(groups[0].rules[0], { alert: "Down", expr: "up == 0", for: "2m", labels: { severity: "critical" } });
  assert.equal(renderAll(sampleDescription({ monitoring: null }))["monitoring/alerts.yaml"], undefined);
});

test("the same description gives the same bytes", () => {
  assert.deepEqual(renderAll(sampleDescription()), files);
});
