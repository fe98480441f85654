import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { type Built, buildDocument, documentOf, expectSameBytes, unmetOf, writeOut } from "./support/build-document.ts";
import { checkLines } from "./support/check-lines.ts";
import { testWithCoverage } from "./support/coverage.ts";
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

test("the example becomes files for three tools, which are as described, resolve and keep every policy", async () => {
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
  expect(
    production.find(({ kind, metadata }) => kind === "Deployment" && metadata.name === "site")!.spec.replicas,
  ).toBe(3);
  expect(yamlOf(built, "monitoring/alerts.yaml")[0]!.groups[0].rules[0].alert).toBe("SiteDown");
  const folder = await writeOut(built);
  expect(await checkLines(built, folder)).toBe(2);
  const { coverage } = await testWithCoverage(folder);
  expect(coverage).toBeGreaterThanOrEqual(0.85);
});

test("Terraform's own formatter has nothing to change", async ({ skip }) => {
  const folder = await writeOut(await buildDocument(example));
  const { exitCode, stdout, stderr } = await runIn(folder, "terraform fmt -check -diff terraform");
  if (exitCode === 127) skip();
  expect(exitCode, stdout + stderr).toBe(0);
});

test("a document without services or environments becomes a stack, too", async () => {
  const built = await buildDocument(stackDocument({}));
  expect(unmetOf(built)).toEqual([expect.objectContaining({ pointer: "/description" })]);
  const folder = await writeOut(built);
  const tested = await runIn(folder, built.scripts["test"]!);
  expect(tested.exitCode, tested.stdout).toBe(0);
  expect((await runIn(folder, built.scripts["build"]!)).exitCode).toBe(0);
});

test("services without images, several environments for one tool, and scripts of one's own are honoured", async () => {
  const { services } = parse(await readFile(new URL("services.yaml", examples), "utf8"));
  const built = await buildDocument(
    stackDocument({
      services: Object.fromEntries(
        Object.entries(services as Record<string, object>).map(([name, service]) => [
          name,
          { ...service, data_model: undefined, forwards: undefined, public: name === "gateway" },
        ]),
      ),
      environments: { test: { replicas: { orders: 2 } }, "Live!": { namespace: "larder" } },
      policies: ["one-way-in", "limits-set"],
      scripts: { build: "npm run verify", test: "node --test" },
      acceptance: { tests: [{ file: "checks/**/*.test.js", type: "unit" }], commands: ["npm run verify → 0"] },
    }),
  );
  expect(unmetOf(built).filter(({ pointer }) => !pointer.endsWith("/stack"))).toEqual([]);
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
      policies: [{ id: "pinned-images" }, { id: "no-plain-passwords" }, { id: "carbon-neutral" }],
      stack: { renders: ["compose", "nomad"] },
    }),
  );
  expect([...new Set(unmetOf(built).map(({ pointer }) => pointer))].toSorted()).toEqual([
    "/policies/0",
    "/policies/1",
    "/policies/2",
    "/stack/renders",
  ]);
  const folder = await writeOut(built);
  const { exitCode, stderr } = await runIn(folder, built.scripts["build"]!);
  expect(exitCode).toBe(1);
  expect(stderr).toContain("postgres:latest");
});

test("what is not known of infrastructure is reported, in the plan and in the README", async () => {
  const built = await buildDocument(
    stackDocument({
      stack: { cloud: "azure" },
      network_plan: { cidr: "wide" },
      services: { a: { stack: { image: "nginx:1" }, gpu: true } },
      acceptance: { files_exist: ["helm/Chart.yaml"], http_endpoints: [{ path: "/" }], uptime: 0.99 },
    }),
  );
  const pointers = unmetOf(built).map(({ pointer }) => pointer);
  expect(pointers.toSorted()).toEqual([
    "/acceptance/files_exist",
    "/acceptance/http_endpoints/0",
    "/acceptance/uptime",
    "/network_plan/cidr",
    "/services/a/gpu",
    "/stack/cloud",
  ]);
  for (const pointer of pointers) expect(built.files.get("README.md")!.text).toContain(pointer);
});

test("the same document gives the same bytes, in whatever order its tasks are done", async () => {
  const phased = stackDocument({ phases: { one: { features: ["Files"] }, two: { depends_on: ["one"] } } });
  for (const text of [example, phased]) await expectSameBytes(text);
});

test("the stack's tests notice a broken renderer and files changed by hand", async () => {
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
      const changed = replaceTexts({ environments, network_plan, policies }, choose) as Record<string, unknown>;
      const own = Object.fromEntries(
        Object.entries(services as Record<string, Record<string, unknown>>).map(([key, service]) => {
          const { stack, healthcheck, environment, volumes } = service;
          return [
            key,
            { ...service, ...(replaceTexts({ stack, healthcheck, environment, volumes }, choose) as object) },
          ];
        }),
      );
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
