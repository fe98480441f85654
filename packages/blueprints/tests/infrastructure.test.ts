// @module-tag soak
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseSpec } from "@slipway/spec";
import { expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { type Built, buildDocument, documentOf, expectSameBytes, unmetOf, writeOut } from "./support/build-document.ts";
import { expectWellFormedWith, replaceTexts } from "./support/hostile-texts.ts";
import { runIn } from "./support/run-project.ts";

const examples = new URL("../../../examples/", import.meta.url);
const example = await readFile(new URL("infrastructure.yaml", examples), "utf8");

const stackDocument = (fields: Record<string, unknown>) =>
  documentOf("infrastructure", { id: "small-stack", name: "Small stack", description: "Some services.", ...fields });

/** By a parser that is not ours: every YAML file is YAML, and holds what it should. */
function yamlOf({ files }: Built, path: string) {
  const documents = parseAllDocuments(files.get(path)!.text);
  expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
  return documents.map((document) => document.toJS());
}

test("the example becomes files for three tools, as described", async () => {
  const built = await buildDocument(example);
  expect(unmetOf(built)).toEqual([]);
  const wanted = (parse(example) as { acceptance: { files_exist: string[] } }).acceptance.files_exist;
  for (const path of wanted) expect([...built.files.keys()]).toContain(path);
  const [compose] = yamlOf(built, "compose.yaml");
  expect(compose!.services.proxy.ports).toEqual(["8080:80"]);
  expect(compose!.services.database.ports).toBeUndefined();
  expect(compose!.services.site.environment.DATABASE_PASSWORD_FILE).toBe("/run/secrets/database_password");
  const production = yamlOf(built, "kubernetes/production.yaml");
  expect(production.find(({ kind }) => kind === "Ingress")!.spec.rules[0].host).toBe("harbour.example.org");
  expect(production.find(({ kind }) => kind === "HorizontalPodAutoscaler")!.spec.minReplicas).toBe(3);
  expect(yamlOf(built, "monitoring/alerts.yaml")[0]!.groups[0].rules[0].alert).toBe("SiteDown");
});

test("Terraform's own formatter has nothing to change", async ({ skip }) => {
  const folder = await writeOut(await buildDocument(example));
  const { exitCode, stdout, stderr } = await runIn(folder, "terraform fmt -check -diff terraform");
  if (exitCode === 127) skip();
  expect(exitCode, stdout + stderr).toBe(0);
});

/** A platform of three services, as a demanding user would ask for it. */
const platform = {
  services: {
    web: {
      image: "ghcr.io/acme/web:3.1.0",
      public: true,
      ports: ["8080:3000"],
      dependencies: ["api"],
      healthcheck: { path: "/ready", port: 3000 },
      limits: { memory_mb: 256, cpu: 0.5 },
      requests: { cpu: 0.1 },
    },
    api: {
      image: "ghcr.io/acme/api:3.1.0",
      public: true,
      ports: ["8081:8080"],
      dependencies: ["db"],
      healthcheck: { path: "/ready" },
      environment: {
        LOG_LEVEL: "info",
        DATABASE_HOST: "db",
        STRIPE_KEY: { secret: "stripe_key" },
        PRICE: "$" + "{HOME}",
      },
      limits: { memory_mb: 512, cpu: 1 },
    },
    db: {
      image: "postgres:17.2-alpine",
      healthcheck: { command: "pg_isready" },
      environment: { POSTGRES_PASSWORD_FILE: "/run/secrets/db_password" },
      volumes: [{ name: "db-data", path: "/var/lib/postgresql/data", size_gb: 10 }],
    },
  },
  environments: {
    staging: {
      stack: { renders: ["kubernetes"] },
      host: { web: "staging.acme.dev", api: "api.staging.acme.dev" },
      tls: { issuer: "letsencrypt-staging" },
      variables: { api: { LOG_LEVEL: "debug" } },
    },
    production: {
      stack: { renders: ["kubernetes", "terraform"] },
      namespace: "acme",
      host: { web: "acme.dev", api: "api.acme.dev" },
      tls: { secret: "acme-certificate" },
      replicas: { web: 3 },
      limits: { db: { memory_mb: 4096 } },
      volumes: { "db-data": { size_gb: 200, class: "fast-ssd" } },
      autoscaling: { api: { min: 3, max: 12, cpu_percent: 60, memory_percent: 80 } },
      disruption_budget: { web: { min_available: 2 }, api: { max_unavailable: 1 } },
      backup: { db: { schedule: "30 2 * * *", command: "pg_dumpall > $BACKUP_FOLDER/all.sql", keep_days: 30 } },
    },
  },
  policies: [
    ...["pinned-images", "limits-set", "probes-set", "no-plain-passwords", "not-privileged", "deny-by-default"],
    ...["one-way-in", "tls-outside", "two-in-production"],
    ...["disruption-budgets", "backed-up"].map((id) => ({ id, environments: ["production"] })),
  ],
};

test("a platform of three services differs by environment in all that the document says, and its check passes", async () => {
  const built = await buildDocument(stackDocument(platform));
  expect(unmetOf(built)).toEqual([]);
  const [staging, production] = ["staging", "production"].map((name) => yamlOf(built, `kubernetes/${name}.yaml`));
  const find = (manifests: ReturnType<typeof yamlOf> | undefined, wanted: string, name: string) =>
    manifests!.find(({ kind, metadata }) => kind === wanted && metadata.name === name);
  expect(find(staging, "Ingress", "api").spec.tls).toEqual([
    { hosts: ["api.staging.acme.dev"], secretName: "api-tls" },
  ]);
  expect(find(production, "Ingress", "web").spec.tls).toEqual([
    { hosts: ["acme.dev"], secretName: "acme-certificate" },
  ]);
  expect([staging, production].map((one) => find(one, "Deployment", "web").spec.replicas)).toEqual([1, 3]);
  const storage = [staging, production].map((one) => find(one, "StatefulSet", "db").spec.volumeClaimTemplates[0].spec);
  expect(storage).toMatchObject([
    { resources: { requests: { storage: "10Gi" } } },
    { storageClassName: "fast-ssd", resources: { requests: { storage: "200Gi" } } },
  ]);
  const [container] = find(production, "Deployment", "api").spec.template.spec.containers;
  expect(container.env).toContainEqual({
    name: "STRIPE_KEY",
    valueFrom: { secretKeyRef: { name: "stripe-key", key: "stripe_key" } },
  });
  const levels = [staging, production].map(
    (one) =>
      find(one, "Deployment", "api").spec.template.spec.containers[0].env.find(
        ({ name }: { name: string }) => name === "LOG_LEVEL",
      ).value,
  );
  expect(levels).toEqual(["debug", "info"]);
  const { minReplicas, maxReplicas, metrics } = find(production, "HorizontalPodAutoscaler", "api").spec;
  expect([minReplicas, maxReplicas, metrics.length]).toEqual([3, 12, 2]);
  expect(find(production, "PodDisruptionBudget", "web").spec.minAvailable).toBe(2);
  expect(find(production, "CronJob", "db-backup").spec.schedule).toBe("30 2 * * *");
  for (const kind of ["HorizontalPodAutoscaler", "PodDisruptionBudget", "CronJob"])
    expect(staging!.filter((one) => one.kind === kind)).toEqual([]);
  const folder = await writeOut(built);
  expect((await runIn(folder, built.scripts["build"]!)).exitCode).toBe(0);
});

test("whatever breaks a declared policy or cannot be so is told with its place, and the build fails", async () => {
  const { staging, production } = platform.environments;
  const changed = {
    ...platform,
    environments: {
      staging: { ...staging, tls: undefined, replicas: { web: 2, wbe: 1 } },
      production: {
        ...production,
        backup: {},
        disruption_budget: { web: { min_available: 3 }, api: {} },
        autoscaling: { api: { min: 9, max: 3 } },
        host: { web: "acme.dev", db: "db.acme.dev" },
        volumes: { cache: { size_gb: 1 } },
      },
      laptop: { stack: { renders: ["compose"] }, autoscaling: { api: { min: 1, max: 2 } }, services: { web: {} } },
    },
  };
  const built = await buildDocument(stackDocument(changed));
  const found = unmetOf(built).map(({ pointer, reason }) => `${pointer}: ${reason}`);
  for (const sentence of [
    "/environments/staging/replicas/wbe: There is no such service.",
    "/environments/production/disruption_budget/api: Say either",
    "/environments/production/disruption_budget/web: With 3 of it, no machine could ever be replaced",
    "/environments/production/autoscaling/api: The minimum is above the maximum",
    "/environments/production/host/db: There is no public service",
    "/environments/production/volumes/cache: No service has such a volume",
    "/environments/laptop/autoscaling: No file of this environment can say this",
    "/environments/laptop/services: An environment changes services by",
    "/policies/7: The policy 'tls-outside' is broken: in staging, web is reached from outside without TLS",
    "/policies/10: The policy 'backed-up' is broken: in production, db keeps data and has no backup",
  ])
    expect(
      found.some((one) => one.startsWith(sentence)),
      sentence,
    ).toBe(true);
  const folder = await writeOut(built);
  const { exitCode, stderr } = await runIn(folder, built.scripts["build"]!);
  expect(exitCode).toBe(1);
  expect(stderr).toContain("backed-up, in production: db keeps data and has no backup");
  expect(stderr).toContain("no machine could ever be replaced");
});

test("with Compose beside Kubernetes, no policy is broken by what only Kubernetes can say", async () => {
  const { staging, production } = platform.environments;
  const renders = { renders: ["compose", "kubernetes"] };
  const built = await buildDocument(
    stackDocument({
      ...platform,
      services: { ...platform.services, api: { ...platform.services.api, ports: ["9000:8080"] } },
      environments: { staging: { ...staging, stack: renders }, production: { ...production, stack: renders } },
      deployment: { monitoring: { metrics_path: "/metrics" } },
    }),
  );
  expect(unmetOf(built)).toEqual([]);
  const folder = await writeOut(built);
  const { exitCode, stdout } = await runIn(folder, built.scripts["build"]!);
  expect(exitCode, stdout).toBe(0);
});

test("in Compose alone, what it cannot say, subnets that cannot be and shared volumes are told", async () => {
  const built = await buildDocument(
    stackDocument({
      stack: { renders: ["compose"] },
      services: {
        web: { image: "nginx:1.27.3", ports: ["8080:80"], public: true },
        db: { image: "postgres:17", volumes: [{ name: "d", path: "/d", size_gb: 9, class: "fast" }] },
      },
      environments: { staging: { replicas: { web: 3, db: 2 }, volumes: { d: { size_gb: 3 } } } },
      network_plan: {
        cidr: "10.0.0.0/22",
        subnets: [
          { name: "a", cidr: "10.9.0.0/24", holds: ["web"] },
          { name: "b", cidr: "10.9.0.128/25" },
        ],
      },
    }),
  );
  expect(unmetOf(built).map(({ pointer, reason }) => `${pointer}: ${reason}`)).toEqual([
    "/environments/staging/volumes: No file of this environment can say this: it renders compose.",
    "/environments/staging/replicas/db: In Compose the 2 instances share one volume.",
    "/services/db/volumes/0/size_gb: No file can say this: only Kubernetes has it.",
    "/services/db/volumes/0/class: No file can say this: only Kubernetes has it.",
    "/network_plan/subnets/0/cidr: 10.9.0.0/24 is outside of the network's 10.0.0.0/22.",
    "/network_plan/subnets/1/cidr: 10.9.0.128/25 is outside of the network's 10.0.0.0/22.",
    "/network_plan/subnets/1/cidr: 10.9.0.128/25 overlaps 10.9.0.0/24 of the subnet a.",
  ]);
  expect(yamlOf(built, "compose.yaml")[0]!.services.web.ports).toEqual(["8080-8082:80"]);
  expect(built.files.get("description.js")!.text).toContain('"10.0.0.0/24"');
});

test("only the expected values of a document may change, and the result stays the same to the byte", async () => {
  const lines = (files: string[]) =>
    stackDocument({ ...platform, acceptance: { files_exist: files, commands: [`ls ${files[0]} → 0`] } });
  const one = await buildDocument(lines(["kubernetes/production.yaml"]));
  expect((await buildDocument(lines(["planted/file.txt"]))).files).toEqual(one.files);
});

test("without services nothing is invented: they are asked for, and the build fails", async () => {
  const built = await buildDocument(stackDocument({}));
  expect(unmetOf(built)).toEqual([{ pointer: "/description", reason: expect.stringContaining("Name the services") }]);
  const { exitCode, stderr } = await runIn(await writeOut(built), built.scripts["build"]!);
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining("there is no service")]);
});

test("services without images, several environments for one tool, and scripts of one's own are honoured", {
  tags: "long",
}, async () => {
  const { services } = parse(await readFile(new URL("services.yaml", examples), "utf8"));
  const built = await buildDocument(
    stackDocument({
      services: Object.fromEntries(
        Object.entries(services as Record<string, object>).map(([name, service]) => [
          name,
          { ...service, data_model: undefined, "x-forwards": undefined, public: name === "gateway" },
        ]),
      ),
      environments: { test: { replicas: { orders: 2 } }, "Live!": { namespace: "larder" } },
      policies: ["one-way-in", "limits-set"],
      scripts: { build: "npm run verify", test: "node --test" },
      acceptance: { tests: [{ file: "checks/**/*.test.js", type: "unit" }], commands: ["npm run verify → 0"] },
    }),
  );
  expect(unmetOf(built).filter(({ pointer }) => !/^\/services\/\w+\/(?:stack|api_design)/.test(pointer))).toEqual([]);
  const paths = [...built.files.keys()];
  for (const path of ["compose.yaml", "compose.live.yaml", "kubernetes/test.yaml", "kubernetes/live.yaml"])
    expect(paths).toContain(path);
  for (const path of ["terraform/main.tf", "terraform/live/main.tf", "checks/render.test.js"])
    expect(paths).toContain(path);
  const folder = await writeOut(built);
  const tested = await runIn(folder, built.scripts["test"]!);
  expect(tested.exitCode, tested.stdout).toBe(0);
  expect((await runIn(folder, built.scripts["build"]!)).exitCode).toBe(0);
});

test("a stack that breaks its own policies says so in the plan, and its check fails", async () => {
  const built = await buildDocument(
    stackDocument({
      services: { db: { stack: { image: "postgres:latest" }, environment: { POSTGRES_PASSWORD: "hunter2" } } },
      policies: [{ id: "pinned-images" }, "no-plain-passwords"],
      stack: { renders: ["compose", "nomad"] },
    }),
  );
  expect([...new Set(unmetOf(built).map(({ pointer }) => pointer))].toSorted()).toEqual([
    "/policies/0",
    "/policies/1",
    "/stack/renders",
  ]);
  const folder = await writeOut(built);
  const { exitCode, stderr } = await runIn(folder, built.scripts["build"]!);
  expect(exitCode).toBe(1);
  expect(stderr).toContain("postgres:latest");
});

test("a policy that several files break alike is told once for each environment", async () => {
  const built = await buildDocument(
    stackDocument({
      services: { db: { image: "postgres:latest" } },
      environments: { staging: {}, production: {} },
      policies: ["pinned-images"],
    }),
  );
  expect(unmetOf(built).filter(({ pointer }) => pointer === "/policies/0")).toHaveLength(2);
});

test("a tool of the stack counts as used where there are files for it, and only there", async () => {
  const services = { web: { image: "nginx:1.27.3" } };
  const unmet = async (stack: object) => unmetOf(await buildDocument(stackDocument({ services, stack })));
  for (const orchestrator of ["compose", "docker-compose", "Kubernetes"])
    expect(await unmet({ orchestrator })).toEqual([]);
  expect(await unmet({ orchestrator: "kubernetes", renders: ["compose"] })).toMatchObject([
    { pointer: "/stack/orchestrator" },
  ]);
  expect(await unmet({ orchestrator: "nomad" })).toMatchObject([{ pointer: "/stack/orchestrator" }]);
});

test("what of a document is not honoured is reported, in the plan and in the README", async () => {
  const built = await buildDocument(
    stackDocument({
      stack: { cloud: "azure" },
      network_plan: { subnets: [{ name: "a", cidr: "10.0.1.0/24", holds: ["b"] }], firewall: true },
      services: { a: { image: "nginx:1", gpu: true, requests: { memory_mb: 9999 }, healthcheck: {} } },
      environments: {
        live: { region: "eu", backup: { a: { schedule: "0 3 * * *", command: "save", encrypt: true } } },
      },
      deployment: { monitoring: { dashboards: 3 } },
      acceptance: { files_exist: ["helm/Chart.yaml"], http_endpoints: [{ path: "/" }], uptime: 0.99 },
    }),
  );
  const pointers = unmetOf(built).map(({ pointer }) => pointer);
  expect(pointers.toSorted()).toEqual([
    "/acceptance/http_endpoints/0",
    "/acceptance/uptime",
    "/deployment/monitoring/dashboards",
    "/environments/live/backup/a/encrypt",
    "/environments/live/region",
    "/network_plan/firewall",
    "/network_plan/subnets/0/holds/0",
    "/services/a/gpu",
    "/services/a/healthcheck",
    "/services/a/requests",
    "/stack/cloud",
  ]);
  const ofKeys = pointers.filter((pointer) => !pointer.startsWith("/acceptance/"));
  for (const pointer of ofKeys) expect(built.files.get("README.md")!.text).toContain(pointer);
});

test("what the environment of a run brings to the top is not reported as unused", async () => {
  const { production } = platform.environments;
  const environments = { ...platform.environments, production: { ...production, auto_deploy: true } };
  const built = await buildDocument(stackDocument({ ...platform, environments }));
  expect(unmetOf(built)).toEqual([]);
  expect(yamlOf(built, "kubernetes/staging.yaml").filter(({ kind }) => kind === "CronJob")).toEqual([]);
});

test("the vocabulary knows misspelled policies and keys, and values of the wrong kind", () => {
  const { diagnostics } = parseSpec(
    stackDocument({
      services: { a: { image: "nginx:1", helthcheck: {} } },
      environments: { live: { autoscaling: { a: { min: 1 } }, backup: { a: { schedule: "daily", command: "x" } } } },
      policies: ["pinned-image"],
    }),
  );
  expect(diagnostics.map(({ code, pointer }) => [code, pointer]).toSorted()).toEqual([
    ["bad_format", "/environments/live/backup/a/schedule"],
    ["missing_fields", "/environments/live/autoscaling/a"],
    ["misspelled_key", "/services/a/helthcheck"],
    ["not_allowed", "/policies/0"],
  ]);
});

test("the same document gives the same bytes, in whatever order its tasks are done", async () => {
  const phased = stackDocument({ phases: { one: { features: ["Files"] }, two: { depends_on: ["one"] } } });
  for (const text of [example, phased]) await expectSameBytes(text);
});

test("the stack's tests notice a broken renderer and files changed by hand", { tags: "long" }, async () => {
  const folder = await writeOut(await buildDocument(example));
  const renderer = join(folder, "render/compose.js");
  const source = await readFile(renderer, "utf8");
  await writeFile(renderer, source.replace("service.isPublic && isSet(service.ports)", "isSet(service.volumes)"));
  expect((await runIn(folder, "npm test")).exitCode).not.toBe(0);
  await writeFile(renderer, source);
  const compose = join(folder, "compose.yaml");
  await writeFile(compose, (await readFile(compose, "utf8")).replace("1.27.3-alpine", "latest"));
  const { exitCode, stderr } = await runIn(folder, "npm run check");
  expect(exitCode).toBe(1);
  expect(stderr).toContain("pinned-images");
});

test("whatever texts a document has, every file of the stack is well formed", async () => {
  const { services, environments, network_plan, policies, deployment } = parse(example);
  // What the document format itself has rules for cannot hold any text.
  environments.production.guardrails = {};
  await expectWellFormedWith(
    ([name, description], choose) => {
      // The vocabulary lets only some texts through elsewhere.
      const own = Object.fromEntries(
        Object.entries(services as Record<string, Record<string, unknown>>).map(([key, service]) => {
          const { healthcheck, environment } = service;
          const command =
            replaceTexts((healthcheck as { command?: string } | undefined)?.command ?? "ok", choose) || "ok";
          return [
            key,
            {
              ...service,
              command: [choose("serve")],
              healthcheck: { command },
              environment: replaceTexts(environment, choose),
            },
          ];
        }),
      );
      const backup = { database: { schedule: "0 3 * * *", command: choose("save") || "save" } };
      const renamed = { ...environments, production: { ...environments.production, backup } };
      const changed = {
        environments: renamed,
        network_plan: { ...network_plan, name: choose(network_plan.name) || "x" },
        policies: [{ ...policies[0], rule: choose(policies[0].rule) }],
      };
      const monitoring = replaceTexts(deployment.monitoring, choose);
      return stackDocument({ name, description, ...changed, services: own, deployment: { monitoring } });
    },
    {
      numRuns: 40,
      check: (built) => {
        for (const path of built.files.keys()) if (path.endsWith(".yaml")) yamlOf(built, path);
        expect(built.files.get("docs/diagram.svg")!.text).not.toContain("<script");
        expect(unmetOf(built).filter(({ reason }) => /is not declared/.test(reason))).toEqual([]);
      },
    },
  );
});
