import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { AcceptanceReport } from "@slipway/contract";
import { expect, test } from "vitest";
import { freePort } from "../../../../tools/free-port.ts";
import { untilEnded } from "../support/engine/follow.ts";
import { createStage } from "../support/engine/stage.ts";

const { app, play } = await createStage();

const manifest = JSON.stringify({ scripts: { start: "node server.mjs" } });

/** A program that answers each path as `answers` says; a text that is an expression is computed for each request. */
const server = (answers: Readonly<Record<string, readonly [status: number, text: string]>>) => `
import { createServer } from "node:http";
const answers = { ${Object.entries(answers).map(([path, [status, text]]) => `"${path}": async () => [${status}, ${text}]`)} };
createServer(async (request, response) => {
  const [status, text] = await (answers[request.url] ?? (() => [404, ""]))();
  response.writeHead(status).end(String(text));
}).listen(process.env.PORT, process.env.HOST);
`;

async function run(
  parts: object,
  files: Readonly<Record<string, string>>,
  links: Readonly<Record<string, string>> = {},
) {
  const id = await play(parts, async ({ folder, task }) => {
    if (task.role === "planner") return undefined;
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    for (const [path, target] of Object.entries(links)) {
      await rm(join(folder, path), { force: true });
      await symlink(target, join(folder, path));
    }
    await writeFile(join(folder, `${task.id}.txt`), task.title);
    return { is: "done" };
  });
  const { status, error } = await untilEnded(app, id);
  const { lines } = (await app.call({ url: `/api/v1/projects/${id}/acceptance` })).json<AcceptanceReport>();
  const of = (key: string) => lines.find(({ pointer }) => pointer === `/acceptance/${key}`);
  return { of, lines, status, error };
}

const port = await freePort();
const services = {
  gateway: { dependencies: ["store"], ports: ["8080:80"] },
  store: { ports: [`${port}:${port}`] },
};
const acceptance = {
  service_health: [{ service: "gateway" }, { service: "store", endpoint: "/up", expected_status: 204 }],
  http_endpoints: [{ path: "/items", response_contains: "from the store" }],
  integration_tests: [{ name: "read", steps: ["GET /items → 200"] }],
};
const store = server({ "/up": [204, `""`], "/items": [200, `"from the store at " + process.env.PORT`] });
const gateway = server({
  "/health": [200, `"ok"`],
  "/items": [200, `await (await fetch(process.env.STORE_URL + "/items")).text()`],
});

test("services start in the order of their dependencies, and each line is checked at its own", {
  tags: "long",
}, async () => {
  const { of, lines } = await run(
    { services, acceptance: { ...acceptance, http_endpoints: [{ path: "/items", response_contains: `at ${port}` }] } },
    {
      "services/store/package.json": manifest,
      "services/store/server.mjs": store,
      "services/gateway/package.json": manifest,
      // It starts only where the store answers already.
      "services/gateway/server.mjs": `await fetch(process.env.STORE_URL + "/up");\n${gateway}`,
    },
  );
  expect(of("service_health/0"), JSON.stringify(lines)).toMatchObject({
    verdict: "passed",
    reason: "The service 'gateway': GET /health answered 200.",
  });
  expect(of("service_health/1")).toMatchObject({ verdict: "passed" });
  expect(of("http_endpoints/0")).toMatchObject({ verdict: "passed" });
  expect(of("integration_tests/0")).toMatchObject({ verdict: "passed" });
});

test("a service that is not healthy fails its line, and whatever depends on it", { tags: "long" }, async () => {
  const { of } = await run(
    { services, acceptance },
    {
      "store/package.json": manifest,
      "store/server.mjs": server({ "/up": [500, `"no disk"`] }),
      "gateway/package.json": manifest,
      "gateway/server.mjs": gateway,
    },
  );
  expect(of("service_health/1")).toMatchObject({
    verdict: "failed",
    reason: expect.stringContaining("The service 'store' is not ready: it answers GET /up with 500, expected 204."),
  });
  for (const key of ["service_health/0", "http_endpoints/0", "integration_tests/0"])
    expect(of(key)).toMatchObject({
      verdict: "failed",
      reason: expect.stringContaining("The service 'gateway' was not started: 'store', which it needs, is not ready."),
    });
});

test("what scripts.start starts is asked where there is one; a service without a folder is not checked", async () => {
  const { of } = await run(
    {
      services: { ...services, mail: {}, "../store": {} },
      scripts: { start: "node server.mjs" },
      acceptance: { ...acceptance, service_health: [...acceptance.service_health, { service: "mail" }] },
    },
    {
      "server.mjs": gateway,
      "services/store/package.json": manifest,
      "services/store/server.mjs": store,
      "outside/package.json": manifest,
    },
    { "services/gateway": "../outside", mail: "outside" },
  );
  expect(of("http_endpoints/0")).toMatchObject({ verdict: "passed" });
  expect(of("service_health/1")).toMatchObject({ verdict: "passed" });
  for (const key of ["service_health/0", "service_health/2"])
    expect(of(key)).toMatchObject({
      verdict: "not_checked",
      reason: expect.stringMatching(/has no folder services\/\w+\/ or \w+\/ that says how to start it\./),
    });
});

test("more services than are started fail the result, instead of going live without some of them", {
  tags: "long",
}, async () => {
  const names = Array.from({ length: 31 }, (_, index) => `s${index}`);
  const { of, status, error } = await run(
    {
      services: Object.fromEntries(names.map((name) => [name, {}])),
      acceptance: { service_health: [{ service: "s0" }] },
      guardrails: { repair_rounds: 0 },
    },
    Object.fromEntries(
      names.flatMap((name) => [
        [`services/${name}/package.json`, manifest],
        [`services/${name}/server.mjs`, "process.exit(1)"],
      ]),
    ),
  );
  const reason = expect.stringContaining("More than 30 services have programs of their own");
  expect(of("service_health/0")).toMatchObject({ verdict: "failed", reason });
  expect({ status, error }).toMatchObject({ status: "failed" });
});

test("nor is a result deployed without some of its services", { tags: "long" }, async () => {
  const names = Array.from({ length: 31 }, (_, index) => `s${index}`);
  const { status, error } = await run(
    { services: Object.fromEntries(names.map((name) => [name, {}])) },
    Object.fromEntries(
      names.flatMap((name) => [
        [`services/${name}/package.json`, manifest],
        [`services/${name}/server.mjs`, server({ "/": [200, `"ok"`] })],
      ]),
    ),
  );
  expect({ status, error }).toMatchObject({
    status: "failed",
    error: { code: "deployment_failed", message: expect.stringContaining("More than 30 services") },
  });
});
