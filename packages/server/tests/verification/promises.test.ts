// @module-tag soak
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { AcceptanceReport, Approval } from "@slipway/contract";
import { describe, expect, test } from "vitest";
import { soakCases } from "../../../../tools/soak-runs.ts";
import { decide, eventsOf, refusalOf, untilAsked, untilEnded } from "../support/engine/follow.ts";
import { createStage } from "../support/engine/stage.ts";

const { app, play } = await createStage();

const reportOf = async (id: string) =>
  (await app.call({ url: `/api/v1/projects/${id}/acceptance` })).json<AcceptanceReport>();

/** A program that listens where it is told; `answer(request, body)` gives status and text. */
const server = (answer: string) => `
import { createServer } from "node:http";
let count = 0;
createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request) body += chunk;
  count += 1;
  const { method, url, headers } = request;
  const [status, text, more = {}] = (${answer})({ method, url, headers, body, count });
  response.writeHead(status, more).end(text);
}).listen(process.env.PORT, process.env.HOST);
`;
const always = (status: number, text = "") => server(`() => [${status}, ${JSON.stringify(text)}]`);
const start = { start: "node server.mjs" };

/** What whoever mends a result is told; whoever builds it first is not. */
const isRepair = ({ description = "" }: { readonly description?: string | undefined }) =>
  description.includes("The validation refused the result.");

/** Runs a document whose result is this program, once: nobody can mend it. Gives the project and its report. */
async function run(parts: object, program?: string) {
  const id = await play(parts, async ({ folder, task }) => {
    if (task.role === "planner") return undefined;
    if (isRepair(task)) return { is: "failed", code: "no_idea", message: "I cannot mend it." };
    await writeFile(join(folder, "server.mjs"), program ?? "");
    await writeFile(join(folder, `${task.id}.txt`), task.title);
    return { is: "done" };
  });
  return { id, project: await untilEnded(app, id), report: await reportOf(id) };
}

type Case = readonly [name: string, parts: object, pointer: string, reason: RegExp, broken: string, mended: string];

const endpoint = (more: object = {}) => ({ acceptance: { http_endpoints: [{ path: "/a", ...more }] }, scripts: start });
const first = "/acceptance/http_endpoints/0";
const hasToken = `headers.authorization === "Bearer " + process.env.API_TOKEN`;
const textLine = { response_contains: ["Ada"] };
const authRequired = { auth_required: true };

/** What is wrong with the program as a whole, each in a project of its own. */
const cases: readonly Case[] = [
  [
    "answers 500 to all",
    endpoint(),
    first,
    /scripts\.start is not ready: it answers GET \/ with 500/,
    always(500),
    always(200),
  ],
  [
    "ends at once",
    endpoint(),
    first,
    /scripts\.start ended with exit code 3 before it was ready/,
    "process.exit(3)",
    always(200),
  ],
  [
    "is not healthy",
    { acceptance: { service_health: [{ endpoint: "/up", expected_status: 204 }] }, scripts: start },
    "/acceptance/service_health/0",
    /not ready: it answers GET \/up with 200, expected 204/,
    always(200),
    always(204),
  ],
  [
    "fails its health check script",
    {
      scripts: {
        ...start,
        health_check: `node -e 'fetch(process.env.URL).then((a) => process.exit(a.status === 200 ? 0 : 5))'`,
      },
    },
    "/scripts/health_check",
    /scripts\.health_check ended with exit code 5/,
    always(404),
    always(200),
  ],
];

/** What is wrong at one path, all in one program: what is asked of the path, and how it answers before and after. */
interface Flaw {
  readonly line: { readonly path: string } | { readonly name: string; readonly steps: readonly string[] };
  readonly reason: RegExp;
  readonly broken: string;
  readonly mended: string;
}

const fine = `() => [200, ""]`;
const onlyWithToken = `({ headers }) => (${hasToken} ? [200, ""] : [401, ""])`;
const keepItems = `({ method, url, body }) => {
  globalThis.items ??= new Map();
  if (method === "POST") { const id = "x" + globalThis.items.size; globalThis.items.set(id, body); return [201, JSON.stringify({ item: { id } })]; }
  const found = globalThis.items.get(url.split("/").at(-1));
  return found === undefined ? [404, ""] : [200, found];
}`;

const flaws: Readonly<Record<string, Flaw>> = {
  "answers one promised endpoint with 500": {
    line: { path: "/failing" },
    reason: /GET \/failing: it answered 500, expected 200, with: broken/,
    broken: `() => [500, "broken"]`,
    mended: fine,
  },
  "answers without the promised text": {
    line: { path: "/text", ...textLine },
    reason: /does not contain 'Ada'/,
    broken: `() => [200, "Bob"]`,
    mended: `() => [200, "Ada Lovelace"]`,
  },
  "serves without a token what needs one": {
    line: { path: "/open", ...authRequired },
    reason: /without a token it answered 200, expected 401/,
    broken: fine,
    mended: onlyWithToken,
  },
  "takes any token for the right one": {
    line: { path: "/any", ...authRequired },
    reason: /with a wrong token it answered 200, expected 401 or 403/,
    broken: `({ headers }) => (headers.authorization ? [200, ""] : [401, ""])`,
    mended: onlyWithToken,
  },
  "refuses everybody where a token is needed": {
    line: { path: "/closed", ...authRequired },
    reason: /it answered 401, expected 200/,
    broken: `() => [401, ""]`,
    mended: onlyWithToken,
  },
  "answers only the first time": {
    line: { path: "/once" },
    reason: /later, the same request was not: GET \/once: it answered 404/,
    broken: `() => { globalThis.n = (globalThis.n ?? 0) + 1; return [globalThis.n > 1 ? 404 : 200, ""]; }`,
    mended: fine,
  },
  "knows the check by its user agent": {
    line: { path: "/agent" },
    reason: /it answered 404/,
    broken: `({ headers }) => [/slipway|probe|undici|node/i.test(headers["user-agent"]) ? 200 : 404, ""]`,
    mended: fine,
  },
  "forgets what it was given": {
    line: { name: "kept", steps: ['POST /items {"a": 1} → 201', "GET /items/{id} → 200"] },
    reason: /Step 2, GET \/items\/\{id\}: it answered 404, expected 200/,
    broken: `({ method }) => (method === "POST" ? [201, JSON.stringify({ id: 7 })] : [404, ""])`,
    mended: keepItems,
  },
  "returns no id where a later step needs one": {
    line: { name: "named", steps: ["POST /things → 201", "GET /things/{item_id} → 200"] },
    reason: /no earlier step returned 'item_id'/,
    broken: `() => [201, ""]`,
    mended: keepItems,
  },
};

describe("a project whose program", () => {
  test.each(soakCases(cases))(
    "%s is sent back with the reason, and is deployed once that is mended",
    { tags: "long" },
    async (_, parts, pointer, reason, broken, mended) => {
      const told: string[] = [];
      const id = await play(parts, async ({ folder, task }) => {
        if (task.role === "planner") return undefined;
        if (isRepair(task)) told.push(task.description!);
        await writeFile(join(folder, "server.mjs"), isRepair(task) ? mended : broken);
        return { is: "done" };
      });
      const project = await untilEnded(app, id);
      const report = await reportOf(id);
      expect(project, JSON.stringify(report.lines)).toMatchObject({ status: "deployed", error: null });
      expect(told).toEqual([expect.stringMatching(reason)]);
      expect(told[0]).toContain(`(${pointer}, line 1 of the document)`);
      expect(report.lines.find((one) => one.pointer === pointer)).toMatchObject({ verdict: "passed" });
      expect(report.counts.failed).toBe(0);
    },
  );

  describe("in one of its answers", async () => {
    const isEndpoint = ({ line }: Flaw) => "path" in line;
    const all = Object.values(flaws);
    const [endpoints, tests] = [all.filter(isEndpoint), all.filter((flaw) => !isEndpoint(flaw))];
    const pointerOf = (flaw: Flaw) =>
      isEndpoint(flaw)
        ? `/acceptance/http_endpoints/${endpoints.indexOf(flaw)}`
        : `/acceptance/integration_tests/${tests.indexOf(flaw)}`;
    const acceptance = {
      http_endpoints: endpoints.map(({ line }) => line),
      integration_tests: tests.map(({ line }) => line),
    };
    const placeOf = ({ line }: Flaw) => ("path" in line ? line.path : /\/\w+/.exec(line.steps[0]!)![0]);
    const program = (which: "broken" | "mended") => {
      const answers = all.map((flaw) => `${JSON.stringify(placeOf(flaw))}: ${flaw[which]}`);
      return server(`(request) => ({ ${answers.join(", ")} }[/^\\/\\w*/.exec(request.url)[0]] ?? (${fine}))(request)`);
    };
    const told: string[] = [];
    const id = await play({ acceptance, scripts: start }, async ({ folder, task }) => {
      if (task.role === "planner") return undefined;
      if (isRepair(task)) told.push(task.description!);
      await writeFile(join(folder, "server.mjs"), program(isRepair(task) ? "mended" : "broken"));
      return { is: "done" };
    });
    const project = await untilEnded(app, id);
    const report = await reportOf(id);

    test.for(Object.entries(flaws))("%s is sent back with the reason", ([, flaw]) => {
      const found = (told[0] ?? "").split("\n");
      const at = found.findIndex((line) => line.endsWith(`(${pointerOf(flaw)}, line 1 of the document)`));
      expect(found[at + 1], told[0]).toMatch(flaw.reason);
    });

    test("is deployed once all is mended", () => {
      expect(project, JSON.stringify(report.lines)).toMatchObject({ status: "deployed", error: null });
      expect(told).toHaveLength(1);
      const verdicts = new Map(report.lines.map(({ pointer, verdict }) => [pointer, verdict]));
      for (const flaw of all) expect(verdicts.get(pointerOf(flaw)), pointerOf(flaw)).toBe("passed");
      expect(report.counts.failed).toBe(0);
    });
  });

  test("is never mended fails, and its report and its error say why", { tags: "long" }, async () => {
    const { reason } = flaws["answers without the promised text"]!;
    const [parts, pointer, broken] = [endpoint(textLine), first, always(200, "Bob")];
    const id = await play(parts, async ({ folder, task }) => {
      if (task.role !== "planner") await writeFile(join(folder, "server.mjs"), `${broken}\n// ${task.id}`);
      return { is: "done" };
    });
    const project = await untilEnded(app, id);
    const report = await reportOf(id);
    expect(project).toMatchObject({ status: "failed", error: { code: "acceptance_failed", phase: "validation" } });
    const line = report.lines.find((one) => one.pointer === pointer);
    expect(line).toMatchObject({ verdict: "failed", reason: expect.stringMatching(reason), line: 1 });
    expect(project.error?.message).toMatch(reason);
    expect(project.checks).toEqual(report.counts);
  });
});

describe("commands", () => {
  test("must end and print as written", { tags: "long" }, async () => {
    const commands = [
      "cat build-play-*.txt build-play.txt 2> /dev/null; true",
      "sh -c 'exit 3' → 3",
      { command: "printf '{}'", output_format: "json", performance: { max_execution_time_ms: 20_000 } },
      { command: "cat", stdin: "given", stdout_contains: "given" },
      // Below what is wrong, Node writes where it was and its own version.
      `sh -c 'printf "wrong\\n    at f (x.js:1)\\n\\nNode.js v24.0.0\\n"; exit 4' → 3`,
      { command: "echo no", stdout_contains: "yes", output_format: "json" },
      {
        command: "echo x >&2; sleep 0.3",
        stderr_contains: "x",
        performance: { max_execution_time_ms: 1, battery: "good" },
      },
    ];
    const { project, report } = await run({ acceptance: { commands } });
    expect(project.status).toBe("failed");
    const verdicts = Object.fromEntries(report.lines.map(({ pointer, verdict }) => [pointer, verdict]));
    expect(verdicts).toEqual({
      "/guardrails/security_scan": expect.any(String),
      "/acceptance/commands/0": "passed",
      "/acceptance/commands/1": "passed",
      "/acceptance/commands/2": "passed",
      "/acceptance/commands/2/output_format": "passed",
      "/acceptance/commands/2/performance/max_execution_time_ms": "passed",
      "/acceptance/commands/3": "passed",
      "/acceptance/commands/4": "failed",
      "/acceptance/commands/5": "failed",
      "/acceptance/commands/5/output_format": "failed",
      "/acceptance/commands/6": "passed",
      "/acceptance/commands/6/performance/max_execution_time_ms": "failed",
      "/acceptance/commands/6/performance/battery": "not_checked",
    });
    const reasons = report.lines.map(({ reason }) => reason).join("\n");
    expect(reasons).toContain("it ended with exit code 4, expected 3, saying: wrong");
    expect(reasons).toContain("standard output does not contain 'yes', but: no.");
  });
});

test("performance is measured under load, and compared with the document's limits", async () => {
  const performance = { response_time_p95_ms: 5_000, requests_per_second: 1e9, error_rate: 0.5, weight_of_the_moon: 3 };
  const parts = { acceptance: { performance }, guardrails: { performance_tests: true }, scripts: start };
  const { id, report } = await run(parts, always(200));
  const tooFew = report.lines.find(({ pointer }) => pointer === "/acceptance/performance/requests_per_second");
  expect(tooFew?.reason).toMatch(/measured \d+ a second, asked for at least 1000000000/);
  const verdicts = Object.fromEntries(report.lines.map(({ pointer, verdict }) => [pointer, verdict]));
  expect(verdicts).toMatchObject({
    "/guardrails/performance_tests": "passed",
    "/acceptance/performance/response_time_p95_ms": "passed",
    "/acceptance/performance/requests_per_second": "failed",
    "/acceptance/performance/error_rate": "passed",
    "/acceptance/performance/weight_of_the_moon": "not_checked",
  });
  const measured = (await app.call({ url: `/api/v1/projects/${id}/artifacts/performance_report` })).json<{
    load: { requests: number };
  }>();
  expect(measured.load.requests).toBeGreaterThan(0);
});

describe("what nobody checked", () => {
  const acceptance = { looks_nice: true };

  test("is not green: it is counted beside 'deployed' wherever a verdict is shown", async () => {
    const { id, project, report } = await run({ acceptance });
    expect(project).toMatchObject({ status: "deployed" });
    expect(project.checks?.not_checked).toBeGreaterThan(0);
    expect(report.lines.find(({ pointer }) => pointer === "/acceptance/looks_nice")).toMatchObject({
      verdict: "not_checked",
      reason: expect.stringContaining("Nobody here can check it"),
    });
    const deployed = (await eventsOf(app, id)).find(({ event }) => event === "project.deployed");
    expect(deployed?.data["checks"]).toEqual(project.checks);
  });

  test("fails the project where the document says so", async () => {
    const { project } = await run({ acceptance, guardrails: { unverified: "fail", security_scan: "off" } });
    expect(project.error).toMatchObject({
      code: "not_checked",
      message: expect.stringMatching(/^1 of 1 line was not checked, and guardrails\.unverified is 'fail'/),
    });
  });

  test("lets a person decide where the document says so", async () => {
    const lines = { acceptance: { ...acceptance, tone: "friendly" }, guardrails: { unverified: "ask" } };
    const id = await play(lines);
    const asked = await untilAsked(app, id);
    expect(asked).toMatchObject({ phase: "deployment" });
    const open = asked.lines.map(({ pointer }) => pointer);
    expect(open).toContain("/acceptance/tone");
    const refused = await decide(app, asked, { decision: "approve", confirms: ["/guardrails/security_scan"] });
    expect(refusalOf(refused)[1]).toContain("'/guardrails/security_scan' is not among the unchecked lines: ");
    expect((await decide(app, asked, { decision: "deny", confirms: open })).statusCode).toBe(422);

    const said = { decision: "approve", confirms: ["/acceptance/tone"], comment: "I have read\nit." };
    const keyed = { method: "POST", url: `/api/v1/approvals/${asked.approval_id}`, payload: said } as const;
    const deciding = () => app.call({ ...keyed, headers: { "idempotency-key": "said-once" } });
    const decided = (await deciding()).json<Approval>();
    expect((await deciding()).json()).toEqual(decided);
    expect(decided.lines.map(({ pointer, verdict }) => [pointer, verdict])).toEqual(
      open.map((pointer) => [pointer, pointer === "/acceptance/tone" ? "passed" : "waived"]),
    );
    const project = await untilEnded(app, id);
    expect(project).toMatchObject({ status: "deployed", checks: { not_checked: 0, waived: open.length - 1 } });
    const report = await reportOf(id);
    expect(report.counts).toEqual(project.checks);
    const tone = report.lines.find(({ pointer }) => pointer === "/acceptance/tone");
    expect(tone).toMatchObject({
      reason: expect.stringMatching(/ confirmed it: I have read it\.$/),
      answered_by: { by: "person", id: asked.approval_id, name: decided.decided_by },
    });
    const waived = report.lines.find(({ verdict }) => verdict === "waived");
    expect(waived?.reason).toContain("let it go live unchecked: I have read it.");
    expect((await decide(app, asked, said)).statusCode).toBe(409);
  });

  test("stays unchecked where a person approves the deployment, but was not asked about lines", {
    tags: "long",
  }, async () => {
    const approved = { guardrails: { deployment: { human_approval_required: true } } };
    const id = await play({ acceptance, ...approved });
    await decide(app, await untilAsked(app, id), { decision: "approve" });
    expect(await untilEnded(app, id)).toMatchObject({ status: "deployed", checks: { waived: 0, not_checked: 1 } });
  });

  test("is nobody's to decide where only the deployment itself can show it", { tags: "long" }, async () => {
    const id = await play({ acceptance: { deployment_time_max_minutes: 5 }, guardrails: { unverified: "ask" } });
    expect(await untilEnded(app, id)).toMatchObject({ status: "deployed", checks: { not_checked: 0 } });
  });
});

test("before the first check every line is there, and none is green", async () => {
  const id = await play({ ...endpoint(), requirements: { agents: { implementer: { capabilities: ["alchemy"] } } } });
  await untilEnded(app, id);
  const report = await reportOf(id);
  expect(report).toMatchObject({ commit: null, checked_at: null, counts: { passed: 0, failed: 0, waived: 0 } });
  expect(report.lines.map(({ pointer }) => pointer)).toContain(first);
});

test("nobody can put a report of their own in the place of the service's", { tags: "long" }, async () => {
  const { id } = await run({});
  const upload = await app.call({
    method: "POST",
    url: `/api/v1/projects/${id}/artifacts?type=acceptance_report&path=verification/report.json`,
    headers: { "content-type": "application/octet-stream" },
    payload: "{}",
  });
  expect(upload.statusCode, upload.body).toBe(400);
  expect(upload.json<{ detail: string }>().detail).toContain("contains what the checks found");
});
