import type { RunEstimate } from "@slipway/contract";
import { sql } from "kysely";
import { beforeAll, describe, expect, test } from "vitest";
import { findBrowser } from "../../../src/verification/index.ts";
import { untilEnded } from "../../support/engine/follow.ts";
import { createStage, documentOf } from "../../support/engine/stage.ts";
import { until } from "../../support/until.ts";

const { app, play, agentId } = await createStage({
  agents: [
    { name: "only", capabilities: ["api", "typescript"], slots: 1 },
    { name: "painter", capabilities: ["drawing"], slots: 2 },
  ],
});
const { call, db } = app;

interface Tried {
  readonly phases: { name: string }[];
  readonly tasks: { id: string; phase: string; depends_on: string[] }[];
  readonly summary: Record<string, unknown>;
  readonly estimate: RunEstimate;
  readonly environment: string | null;
  readonly roles: { role: string; capabilities: string[]; agent_id: string | null; availability: string }[];
  readonly approvals: { gate: string; approvers: string[] }[];
  readonly secrets: { name: string; provider: string; is_found: boolean }[];
  readonly acceptance: { pointer: string; title: string; can_be_verified: boolean }[];
  readonly preflight: object[];
  readonly unmet: { pointer: string; reason: string }[];
  readonly diagnostics: { code: string; severity: string; line: number }[];
}

const send = (parts: object, query = "") =>
  call({
    method: "POST",
    url: `/api/v1/projects?dry_run=true${query}`,
    headers: { "content-type": "application/yaml" },
    payload: documentOf(parts),
  });
const tryOut = async (parts: object, query = "") => {
  const answer = await send(parts, query);
  expect(answer.statusCode, answer.payload).toBe(200);
  return answer.json<Tried>();
};

let [only, painter] = ["", ""];
beforeAll(async () => {
  [only, painter] = [await agentId("only"), await agentId("painter")];
});

test("creates nothing", async () => {
  const counts = async () =>
    (
      await sql`select (select count(*) from projects) as projects, (select count(*) from applications) as applications,
                       (select count(*) from jobs) as jobs, (select count(*) from events) as events,
                       (select count(*) from audit) as audit`.execute(db)
    ).rows[0];
  const before = await counts();
  const answer = await send({});
  expect([answer.statusCode, answer.headers.location]).toEqual([200, undefined]);
  expect(await counts()).toEqual(before);
});

test("tells the phases and tasks in their order, how long they take and which of them decide that", async () => {
  const { phases, tasks, summary } = await tryOut({
    phases: { one: { features: ["a"] }, two: { features: ["b"], depends_on: ["one"] } },
    tasks: [{ id: "a", estimated_hours: 3 }],
  });
  expect(phases.map(({ name }) => name)).toEqual(["planning", "one", "two", "validation", "deployment"]);
  expect(tasks.map(({ id, phase }) => `${phase} ${id}`)).toEqual([
    "planning plan",
    "one a",
    "two b",
    "validation validate",
    "deployment deploy",
  ]);
  expect(summary).toEqual({
    total_hours: 7,
    duration_hours: 7,
    parallel_tasks: expect.any(Number),
    critical_path: { tasks: ["plan", "a", "b", "validate", "deploy"], hours: 7 },
  });
});

test("estimates by what earlier tasks took, of the same outcome type and role and by the same agent", async () => {
  expect((await tryOut({})).estimate).toEqual({ roles: [], duration_ms: null });
  await untilEnded(app, await play());
  // What they took depends on the machine: here it is a second for each.
  const lasted = `update events set data = data || '{"duration_ms": 1000}' where name = 'agent.task_completed'`;
  await sql.raw(lasted).execute(db);
  const { roles, estimate } = await tryOut({});
  const took = { finished_tasks: 1, median_ms: 1000 };
  expect(estimate.roles).toEqual(roles.map(({ role, agent_id }) => ({ role, agent_id, ...took })));
  expect(estimate.duration_ms).toBe(roles.length * 1000);
  expect((await tryOut({ outcome_type: "cli" })).estimate).toEqual({ roles: [], duration_ms: null });
});

describe("the roles", () => {
  test("are told with who would fill them", async () => {
    const { roles } = await tryOut({
      tasks: [{ id: "a" }, { id: "b", role: "illustrator" }],
      requirements: { agents: { illustrator: { capabilities: ["drawing"] } } },
    });
    const of = (name: string) => roles.find(({ role }) => role === name);
    expect(roles.map(({ role }) => role).toSorted()).toEqual([
      "deployer",
      "illustrator",
      "implementer",
      "planner",
      "reviewer",
    ]);
    expect(of("illustrator")).toEqual({
      role: "illustrator",
      capabilities: ["drawing"],
      agent_id: painter,
      availability: "free",
    });
    // It has room for one task, but it is needed for one at a time only.
    expect(of("implementer")).toEqual({
      role: "implementer",
      capabilities: ["api"],
      agent_id: only,
      availability: "free",
    });
  });

  test("nobody could fill are told, too", async () => {
    const { roles, preflight } = await tryOut({ outcome_type: "game" });
    expect(roles.find(({ role }) => role === "implementer")).toEqual({
      role: "implementer",
      capabilities: ["game"],
      agent_id: null,
      availability: "unknown",
    });
    expect(preflight).toContainEqual({
      ...{ kind: "agent", is_blocking: true, pointer: null, line: null },
      message: "No agent here fills the role 'implementer' and has game.",
      remedy: expect.stringContaining("slipway agents add "),
    });
  });

  test("are busy while their agent is", async () => {
    const gate = Promise.withResolvers<void>();
    let hasBegun = false;
    await play({}, async ({ task }) => {
      if (task.role !== "implementer") return undefined;
      hasBegun = true;
      await gate.promise;
      return undefined;
    });
    await until(() => hasBegun);
    const { roles } = await tryOut({});
    gate.resolve();
    expect(roles.find(({ role }) => role === "implementer")).toMatchObject({ agent_id: only, availability: "busy" });
  });
});

test("approvals are told: of the plan where that was asked for, and of the deployment", async () => {
  expect((await tryOut({})).approvals).toEqual([]);
  const environments = { live: { requires_approval: true, approvers: ["dana"] }, staging: {} };
  const all = await tryOut({ environments }, "&environment=live&review_plan=true");
  expect(all.environment).toBe("live");
  expect(all.approvals).toEqual([
    { gate: "plan", approvers: [] },
    { gate: "deployment", approvers: ["dana"] },
  ]);
  expect((await tryOut({ environments }, "&environment=staging")).approvals).toEqual([]);
});

test("secrets are told with whether they are there, and never the service's own", async () => {
  process.env["SHOP_KEY_OF_A_TEST"] = "x";
  process.env["SLIPWAY_SECRET_OF_A_TEST"] = "x";
  const { secrets } = await tryOut({
    secrets: {
      provider: "environment",
      required: ["SHOP_KEY_OF_A_TEST", "MISSING_KEY_OF_A_TEST", "SLIPWAY_SECRET_OF_A_TEST"],
    },
  });
  expect(secrets).toMatchObject([
    { name: "SHOP_KEY_OF_A_TEST", provider: "environment", is_found: true },
    { name: "MISSING_KEY_OF_A_TEST", provider: "environment", is_found: false },
    { name: "SLIPWAY_SECRET_OF_A_TEST", provider: "environment", is_found: false },
  ]);
  delete process.env["SHOP_KEY_OF_A_TEST"];
  delete process.env["SLIPWAY_SECRET_OF_A_TEST"];
});

test("a way to deploy that does not work here is told with the remedy", async () => {
  const { unmet } = await tryOut({ deployment: { orchestrator: "podman" } });
  expect(unmet).toContainEqual({
    line: expect.any(Number),
    pointer: "/deployment/orchestrator",
    reason: expect.stringMatching(/^No container engine works here: .* Install podman or docker/),
  });
});

test("a key that nobody uses is told, whatever section it stands in", async () => {
  const { unmet } = await tryOut({
    deployment: { strategy: "rolling", tls: { hosts: ["a"] } },
    guardrails: { joy: 1 },
  });
  expect(unmet.filter(({ reason }) => reason.includes("not used by anyone"))).toEqual([
    { line: expect.any(Number), pointer: "/deployment/tls", reason: "This key is not used by anyone." },
  ]);
});

test("lines are told with whether they can be verified here", async () => {
  const acceptance = {
    tests: [{ file: "test/*.ts", type: "unit" }],
    http_endpoints: [{ path: "/health" }],
    service_health: [{ service: "shop" }],
    commands: [{ command: "x", output_format: "csv", performance: { max_execution_time_ms: 5, joy: 1 } }],
    performance: { response_time_p95_ms: 200, battery_usage_rating: "acceptable" },
    ux_flows: [["open /", "see Shop"], ["open /", "click Buy"], "somebody buys something"],
    looks_nice: true,
  };
  const guardrails = { tests_required: true, type_check: true, security_scan: "block" };
  const tried = (await tryOut({ acceptance, guardrails, services: { shop: {} } })).acceptance;
  const pointers = (canBe: boolean) =>
    tried.filter(({ can_be_verified }) => can_be_verified === canBe).map(({ pointer }) => pointer);
  const followed = (await findBrowser()) === undefined ? [] : ["/acceptance/ux_flows/0"];
  expect(pointers(true)).toEqual([
    "/guardrails/tests_required",
    "/guardrails/security_scan",
    "/acceptance/tests/0",
    "/acceptance/http_endpoints/0",
    "/acceptance/commands/0",
    "/acceptance/commands/0/performance/max_execution_time_ms",
    "/acceptance/performance/response_time_p95_ms",
    ...followed,
  ]);
  expect(pointers(false)).toEqual([
    "/guardrails/type_check",
    "/acceptance/service_health/0",
    "/acceptance/commands/0/output_format",
    "/acceptance/commands/0/performance/joy",
    "/acceptance/performance/battery_usage_rating",
    ...(followed.length === 0 ? ["/acceptance/ux_flows/0"] : []),
    "/acceptance/ux_flows/1",
    "/acceptance/ux_flows/2",
    "/acceptance/looks_nice",
  ]);
  expect(tried[0]).toMatchObject({ title: "The result has tests, and they pass" });
});

test("warnings come with it, and errors instead of it", async () => {
  const warned = await tryOut({ guardrail: {} });
  expect(warned.diagnostics).toMatchObject([{ severity: "warning", line: 1 }]);
  const wrong = await send({ outcome_type: "teapot" });
  expect(wrong.statusCode).toBe(422);
  expect(wrong.json<{ detail: string }>().detail).toMatch(/^Unknown outcome_type 'teapot'\./);
  expect((await send({}, "&environment=nowhere")).statusCode).toBe(422);
});

test("needs the scope to create", async () => {
  const { key } = await app.apiKey(["projects:read"]);
  const answer = await call({
    method: "POST",
    url: "/api/v1/projects?dry_run=true",
    token: key,
    headers: { "content-type": "application/yaml" },
    payload: documentOf(),
  });
  expect(answer.statusCode).toBe(403);
});
