import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { checkAll } from "#check/all.js";
import { policies } from "#check/policies.js";
import { sampleDescription } from "#check/sample.js";
import { renderAll } from "#render/all.js";

const sample = sampleDescription();
const good = renderAll(sample);
const root = new URL(".", import.meta.resolve("#root/package.json"));

/** What is found wrong after a text in one of the files was replaced. */
function after(path, text, replacement) {
  assert.ok(good[path].includes(text), `${text} in ${path}`);
  return checkAll(sample, { ...good, [path]: good[path].replace(text, replacement) });
}

test("nothing is wrong with files as they are rendered", () => {
  assert.deepEqual(checkAll(sample, good), { unreadable: [], addresses: [], outdated: [], unresolved: [], violations: [] });
});

test("the files of this project are as described, and keep every policy", () => {
  const out = execFileSync(process.execPath, [fileURLToPath(new URL("bin/check.js", root))], { encoding: "utf8" });
  assert.match(out, /all is well/);
});

test("rendering again changes nothing", async () => {
  const { description } = await import("#root/description.js");
  for (const [path, text] of Object.entries(renderAll(description))) {
    assert.equal(readFileSync(new URL(path, root), "utf8"), text, path);
  }
});

test("a file that is missing, broken or changed by hand is told", () => {
  assert.deepEqual(checkAll(sample, { ...good, "compose.yaml": undefined }).unreadable, ["compose.yaml is missing"]);
  assert.match(after("compose.yaml", "services:", "services").unreadable[0], /^compose\.yaml: line 2/);
  assert.match(after("terraform/main.tf", "}\n", "\n").unreadable[0], /never closed/);
  assert.deepEqual(after("compose.yaml", "unless-stopped", "always").outdated, ["compose.yaml"]);
});

test("references that lead nowhere are found in every kind of file", () => {
  const yaml = "kubernetes/production.yaml";
  const found = [
    after("compose.yaml", "      - back\n", "      - side\n"),
    after("compose.yaml", "      - store_password\n", "      - other\n"),
    after("compose.yaml", "store-data:/data", "gone:/data"),
    after("compose.yaml", "      store:\n        condition", "      shop:\n        condition"),
    after(yaml, "  name: sample\n", "  name: other\n"),
    after(yaml, "                name: door\n", "                name: window\n"),
    after(yaml, "secretName: store-password", "secretName: other"),
    after(yaml, "                name: pay-token\n", "                name: other\n"),
    after(yaml, "            - name: store-data\n", "            - name: other\n"),
    after(yaml, "  serviceName: store\n", "  serviceName: shop\n"),
    after(yaml, "claimName: store-backup", "claimName: other"),
    after(yaml, "    kind: Deployment\n    name: app\n", "    kind: Deployment\n    name: apple\n"),
    after(yaml, "  minAvailable: 1\n  selector:\n    matchLabels:\n      app.kubernetes.io/name: door\n", "  minAvailable: 1\n  selector:\n    matchLabels:\n      app.kubernetes.io/name: gate\n"),
    after(yaml, "    matchLabels:\n      app.kubernetes.io/name: app\n", "    matchLabels:\n      app.kubernetes.io/name: apple\n"),
    after(yaml, "  selector:\n    app.kubernetes.io/name: app\n", "  selector:\n    app.kubernetes.io/name: apple\n"),
    after(yaml, "        - sample.example.org\n", "        - other.example.org\n"),
    after("terraform/main.tf", "aws_internet_gateway.main.id", "aws_internet_gateway.other.id"),
    after("terraform/main.tf", "var.region", "var.zone"),
  ];
  for (const [index, { unresolved }] of found.entries()) assert.ok(unresolved.length > 0, `case ${index}`);
});

test("what cannot be so together is found", () => {
  const yaml = "kubernetes/production.yaml";
  const [one] = sample.services;
  const twins = sampleDescription({ services: [...sample.services, { ...one, name: "gate", dependencies: [] }] });
  const cases = [
    [after(yaml, "minAvailable: 1", "minAvailable: 2"), /no machine could ever be replaced/],
    [after(yaml, "maxReplicas: 6", "maxReplicas: 1"), /minimum above its maximum/],
    [checkAll({ ...twins, environments: withHosts(twins) }, renderAll({ ...twins, environments: withHosts(twins) })), /two services are reached/],
  ];
  for (const [{ unresolved }, sentence] of cases) assert.match(unresolved.join("\n"), sentence);
});

function withHosts({ environments: [production, ...others] }) {
  const { overrides } = production;
  return [{ ...production, overrides: { ...overrides, gate: { host: overrides.door.host } } }, ...others];
}

test("subnets outside of the network, on top of each other or between two ranges are found", () => {
  const [front, back] = sample.network.subnets;
  const found = (cidr) => checkAll(sampleDescription({ network: { ...sample.network, subnets: [front, { ...back, cidr }] } }), good).addresses;
  assert.deepEqual(found("10.0.255.0/24"), []);
  assert.match(found("10.1.0.0/24")[0].text, /outside/);
  assert.match(found("10.0.0.128/25")[0].text, /overlaps 10\.0\.0\.0\/24 of the subnet front/);
  assert.match(found("10.0.1.7/24")[0].text, /10\.0\.1\.0\/24 does$/);
});

test("in Compose, several instances get as many ports of the machine, and no two services share one", () => {
  const [production, local] = sample.environments;
  const scaled = (more) => {
    const environments = [production, { ...local, overrides: { door: { replicas: 3 } } }];
    return sampleDescription({ environments, services: [...sample.services, ...more] });
  };
  const alone = renderAll(scaled([]));
  assert.match(alone["compose.yaml"], /"8080-8082:80"|8080-8082:80/);
  assert.deepEqual(checkAll(scaled([]), alone).unresolved, []);
  const gate = { ...sample.services[0], name: "gate", ports: [{ host: 8082, container: 80 }] };
  assert.match(checkAll(scaled([gate]), renderAll(scaled([gate]))).unresolved.join(), /door and gate both have port 8082/);
  const narrow = { ...alone, "compose.yaml": alone["compose.yaml"].replace("8080-8082:80", "8080:80") };
  assert.match(checkAll(scaled([]), narrow).unresolved.join(), /door has 3 instances and 1 port of the machine/);
});

test("where Kubernetes runs an environment, its Compose file need not have TLS, backups and two instances", () => {
  const [production] = sample.environments;
  const both = sampleDescription({ environments: [{ ...production, compose: "compose.yaml" }] });
  assert.deepEqual(checkAll(both, renderAll(both)).violations, []);
});

test("Prometheus reaches what it watches although nobody else does", () => {
  const policy = good["kubernetes/production.yaml"].split("---").find((text) => text.includes("name: reach-app"));
  assert.match(policy, /app\.kubernetes\.io\/name: prometheus/);
  const silent = renderAll(sampleDescription({ monitoring: null }))["kubernetes/production.yaml"];
  assert.doesNotMatch(silent, /prometheus/);
});

test("breaches of every policy are found in every kind of file that they concern", () => {
  const yaml = "kubernetes/production.yaml";
  const breaches = [
    ["pinned-images", after("compose.yaml", "example.org/app:1.2.3", "example.org/app:latest")],
    ["pinned-images", after(yaml, "example.org/app:1.2.3", "example.org:5000/app")],
    ["limits-set", after("compose.yaml", "          memory: ", "          swap: ")],
    ["limits-set", after(yaml, "            limits:\n              memory: ", "            limits:\n              swap: ")],
    ["probes-set", after("compose.yaml", "    healthcheck:\n", "    nothing:\n")],
    ["probes-set", after(yaml, "          readinessProbe:\n", "          nothing:\n")],
    ["one-way-in", after("compose.yaml", "    command:\n", "    ports:\n      - \"1:1\"\n    command:\n")],
    ["one-way-in", after("terraform/main.tf", "security_groups = [aws_security_group.door.id]", 'cidr_blocks = ["0.0.0.0/0"]')],
    ["tls-outside", after(yaml, "  tls:\n", "  nothing:\n")],
    ["no-plain-passwords", after("compose.yaml", "MODE: fast", "API_TOKEN: abc")],
    ["no-plain-passwords", after("compose.yaml", "${PAY_TOKEN:?is a secret}", "abc")],
    ["no-plain-passwords", after(yaml, "name: STORE_PASSWORD_FILE", "name: STORE_PASSWORD")],
    ["not-privileged", after("compose.yaml", "    restart: unless-stopped\n", "    privileged: true\n")],
    ["not-privileged", after(yaml, "privileged: false", "privileged: true")],
    ["two-in-production", after(yaml, "replicas: 2", "replicas: 1")],
    ["disruption-budgets", after(yaml, "  maxUnavailable: 1\n  selector:\n    matchLabels:\n      app.kubernetes.io/name: app\n", "  maxUnavailable: 1\n  selector:\n    matchLabels:\n      app.kubernetes.io/name: lonely\n")],
    ["backed-up", after(yaml, "kind: CronJob\nmetadata:\n  name: store-backup\n", "kind: CronJob\nmetadata:\n  name: other\n")],
    ["deny-by-default", after("compose.yaml", "    internal: true\n", "    internal: false\n")],
    ["deny-by-default", after(yaml, "  podSelector: {}\n", "  podSelector:\n    matchLabels:\n      a: b\n")],
    ["deny-by-default", after(yaml, "        - podSelector:\n            matchLabels:\n              app.kubernetes.io/name: store-backup\n", "        - podSelector: {}\n")],
  ];
  for (const [index, [policy, { violations }]] of breaches.entries()) {
    assert.ok(violations.some((violation) => violation.policy === policy), `case ${index}`);
  }
  assert.deepEqual(Object.keys(policies).sort(), [...new Set(breaches.map(([policy]) => policy))].sort());
});

test("a service that is opened to the outside breaks the rules of outside", () => {
  const { violations } = after(
    "kubernetes/production.yaml",
    "spec:\n  selector:\n    app.kubernetes.io/name: app\n",
    "spec:\n  type: NodePort\n  selector:\n    app.kubernetes.io/name: app\n",
  );
  assert.deepEqual(violations.map(({ policy }) => policy).sort(), ["one-way-in", "tls-outside"]);
});

test("a policy holds only where it is meant to", () => {
  const everywhere = sampleDescription({ policies: [{ id: "backed-up", rule: "", environments: null }] });
  assert.deepEqual(checkAll(everywhere, good, good).violations.map(({ environment }) => environment), ["local"]);
  const [production, local] = sample.environments;
  const alone = { ...production.overrides, door: { ...production.overrides.door, replicas: 1, disruptionBudget: null } };
  const staging = sampleDescription({ environments: [{ ...production, name: "staging", overrides: alone }, local] });
  assert.deepEqual(checkAll(staging, renderAll(staging)).violations, []);
});
