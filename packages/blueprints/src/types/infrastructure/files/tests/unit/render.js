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
  assert.deepEqual(door.depends_on, { app: { condition: "service_healthy" } });
  assert.deepEqual(door.networks, ["front", "back"]);
  assert.deepEqual(compose.networks, { front: {}, back: { internal: true } });
  assert.deepEqual(store.volumes, ["store-data:/data"]);
  assert.deepEqual(compose.secrets, { store_password: { environment: "STORE_PASSWORD" } });
  assert.deepEqual(app.deploy.resources.limits, { memory: "64M", cpus: "0.5" });
  assert.deepEqual(app.deploy.resources.reservations, { memory: "32M", cpus: "0.1" });
  assert.equal(store.healthcheck.test[1], "is-ready");
});

test("dollar signs of the description are only characters, and secrets come from whoever starts it", () => {
  const { app } = compose.services;
  assert.deepEqual(app.command, ["serve", "--price", "$$(cost)"]);
  assert.deepEqual([app.environment.MODE, app.environment.PAY_TOKEN], ["fast", "${PAY_TOKEN:?is a secret}"]);
  const [container] = find("Deployment", "app").spec.template.spec.containers;
  assert.deepEqual(container.args, ["serve", "--price", "$$(cost)"]);
  const token = container.env.find(({ name }) => name === "PAY_TOKEN");
  assert.deepEqual(token.valueFrom, { secretKeyRef: { name: "pay-token", key: "pay_token" } });
});

test("an environment has its own numbers, limits, variables and volumes", () => {
  assert.equal(find("Deployment", "door").spec.replicas, 2);
  assert.equal(compose.services.door.deploy.replicas, 1);
  const [container] = find("Deployment", "app").spec.template.spec.containers;
  assert.deepEqual(container.resources, { requests: { memory: "32Mi", cpu: "0.1" }, limits: { memory: "128Mi", cpu: "0.5" } });
  assert.equal(container.env.find(({ name }) => name === "MODE").value, "safe");
  const [claim] = find("StatefulSet", "store").spec.volumeClaimTemplates;
  assert.deepEqual([claim.spec.storageClassName, claim.spec.resources.requests.storage], ["fast", "50Gi"]);
});

test("an autoscaler decides how many there are, and a budget how many must stay", () => {
  assert.equal(find("Deployment", "app").spec.replicas, undefined);
  const { scaleTargetRef, minReplicas, maxReplicas, metrics } = find("HorizontalPodAutoscaler", "app").spec;
  assert.deepEqual([scaleTargetRef.kind, scaleTargetRef.name, minReplicas, maxReplicas], ["Deployment", "app", 2, 6]);
  assert.deepEqual(metrics.map(({ resource }) => [resource.name, resource.target.averageUtilization]), [["cpu", 70]]);
  assert.equal(find("PodDisruptionBudget", "door").spec.minAvailable, 1);
  assert.equal(find("PodDisruptionBudget", "app").spec.maxUnavailable, 1);
  assert.equal(find("HorizontalPodAutoscaler", "door"), undefined);
});

test("what comes from outside is encrypted where the environment says so", () => {
  const { metadata, spec } = find("Ingress", "door");
  assert.deepEqual(spec.tls, [{ hosts: ["sample.example.org"], secretName: "door-tls" }]);
  assert.deepEqual(metadata.annotations, { "cert-manager.io/cluster-issuer": "letsencrypt" });
});

test("a backup runs by the clock, reaches its service, and deletes what is old", () => {
  const { schedule, jobTemplate } = find("CronJob", "store-backup").spec;
  const [container] = jobTemplate.spec.template.spec.containers;
  assert.equal(schedule, "0 3 * * *");
  assert.equal(container.image, "example.org/store:1.2.3");
  assert.equal(container.command[2], 'set -eu\nsave > $BACKUP_FOLDER/all\nfind "$BACKUP_FOLDER" -type f -mtime +14 -delete');
  assert.equal(find("PersistentVolumeClaim", "store-backup").spec.resources.requests.storage, "20Gi");
  const from = find("NetworkPolicy", "reach-store").spec.ingress[0].from;
  assert.deepEqual(from.map(({ podSelector }) => podSelector.matchLabels["app.kubernetes.io/name"]), ["app", "store-backup"]);
});

test("Kubernetes keeps data in a set with a claim, and everything else in deployments", () => {
  const store = find("StatefulSet", "store");
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
  assert.deepEqual(jobs[0].static_configs.map(({ targets }) => targets[0]), ["door:80", "app:3000"]);
  const { groups } = parseYaml(files["monitoring/alerts.yaml"]);
  assert.deepEqual(groups[0].rules[0], { alert: "Down", expr: "up == 0", for: "2m", labels: { severity: "critical" } });
  assert.equal(renderAll(sampleDescription({ monitoring: null }))["monitoring/alerts.yaml"], undefined);
});

test("the same description gives the same bytes", () => {
  assert.deepEqual(renderAll(sampleDescription()), files);
});
