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
  assert.deepEqual(checkAll(sample, good), { unreadable: [], outdated: [], unresolved: [], violations: [] });
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
    after(yaml, "            - name: store-data\n", "            - name: other\n"),
    after(yaml, "  serviceName: store\n", "  serviceName: shop\n"),
    after(yaml, "    matchLabels:\n      app.kubernetes.io/name: app\n", "    matchLabels:\n      app.kubernetes.io/name: apple\n"),
    after(yaml, "  selector:\n    app.kubernetes.io/name: app\n", "  selector:\n    app.kubernetes.io/name: apple\n"),
    after("terraform/main.tf", "aws_internet_gateway.main.id", "aws_internet_gateway.other.id"),
    after("terraform/main.tf", "var.region", "var.zone"),
  ];
  for (const [index, { unresolved }] of found.entries()) assert.ok(unresolved.length > 0, `case ${index}`);
});

test("breaches of every policy are found in every kind of file", () => {
  const yaml = "kubernetes/production.yaml";
  const breaches = [
    ["pinned-images", after("compose.yaml", "example.org/app:1.2.3", "example.org/app:latest")],
    ["pinned-images", after(yaml, "example.org/app:1.2.3", "example.org:5000/app")],
    ["limits-set", after("compose.yaml", "          memory: ", "          swap: ")],
    ["limits-set", after(yaml, "            limits:\n              memory: ", "            limits:\n              swap: ")],
    ["one-way-in", after("compose.yaml", "    command:\n", "    ports:\n      - \"1:1\"\n    command:\n")],
    ["one-way-in", after(yaml, "  name: app\n  namespace: sample\n  labels:\n    app.kubernetes.io/name: app\nspec:\n  selector:\n    app", "  name: app\n  namespace: sample\nspec:\n  type: NodePort\n  selector:\n    app")],
    ["one-way-in", after("terraform/main.tf", "security_groups = [aws_security_group.door.id]", 'cidr_blocks = ["0.0.0.0/0"]')],
    ["no-plain-passwords", after("compose.yaml", "MODE: fast", "API_TOKEN: abc")],
    ["no-plain-passwords", after(yaml, "name: STORE_PASSWORD_FILE", "name: STORE_PASSWORD")],
    ["not-privileged", after("compose.yaml", "    restart: unless-stopped\n", "    privileged: true\n")],
    ["not-privileged", after(yaml, "privileged: false", "privileged: true")],
    ["two-in-production", after(yaml, "replicas: 2", "replicas: 1")],
  ];
  for (const [index, [policy, { violations }]] of breaches.entries()) {
    assert.deepEqual([...new Set(violations.map((violation) => violation.policy))], [policy], `case ${index}`);
  }
  assert.deepEqual(Object.keys(policies).sort(), [...new Set(breaches.map(([policy]) => policy))].sort());
});

test("two replicas are asked for in production only", () => {
  const [environment] = sample.environments;
  const replicas = { ...environment.replicas, door: 1 };
  const staging = sampleDescription({ environments: [{ ...environment, name: "staging", replicas }] });
  assert.deepEqual(checkAll(staging, renderAll(staging)).violations, []);
});
