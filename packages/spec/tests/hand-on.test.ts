import { expect, test } from "vitest";
import {
  findWrittenLines,
  handOn,
  parseSpec,
  planWork,
  readTaskBreakdown,
  resolveSpec,
  type WorkPlan,
  writeTaskBreakdown,
} from "../src/index.ts";

const head = `spec_version: "1.0.0"
id: rooms
name: Rooms
description: Books rooms.
outcome_type: api
stack: {}
`;

function resolved(text: string) {
  const { document, diagnostics } = parseSpec(head + text);
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  return resolveSpec(document!).document;
}

function handedOn(text: string, pointers: readonly string[]): WorkPlan {
  const document = resolved(text);
  const written = findWrittenLines(head + text, pointers);
  const rest = pointers.map((pointer) => ({ pointer, reason: `No rule for ${pointer}.`, ...written.get(pointer) }));
  const plan = handOn(planWork(document), document, rest);
  // A person may edit it as a file, and gets the same plan back.
  expect(readTaskBreakdown(writeTaskBreakdown(plan), document)).toEqual({ plan, diagnostics: [] });
  expect(handOn(planWork(document), document, rest), "it is pure").toEqual(plan);
  return plan;
}

const finishing = ({ tasks }: WorkPlan) => tasks.filter(({ role }) => role === "finisher");

const booking = `invoices:
  format: pdf
  password: hunter2-hunter2
  signing: { user: me, api_key: abcdefg }
  private_key: |
    -----BEGIN
    secretsecret
  token:
    - hidden-too
overlap: { of: bookings, room: once }
acceptance:
  http_endpoints:
    - { path: /health, status: 200 }
    - { path: /bookings/overlap, status: 409 }
  commands: [./check-it]
`;

test("what the builder leaves becomes a task a part of the document, one after the other, after the builder's own", () => {
  const plan = handedOn(booking, [
    "/invoices/format",
    "/invoices/password",
    "/overlap",
    "/acceptance/http_endpoints/1",
    "/acceptance/commands/0",
  ]);
  expect(finishing(plan).map(({ id, phase, dependsOn, serves }) => ({ id, phase, dependsOn, serves }))).toEqual([
    {
      id: "finish-invoices",
      phase: "implementation",
      dependsOn: ["build-rooms"],
      serves: ["/invoices/format", "/invoices/password"],
    },
    {
      id: "finish-overlap",
      phase: "implementation",
      dependsOn: ["build-rooms", "finish-invoices"],
      serves: ["/overlap", "/acceptance/http_endpoints/1"],
    },
    {
      id: "finish-acceptance",
      phase: "implementation",
      dependsOn: ["build-rooms", "finish-invoices", "finish-overlap"],
      serves: ["/acceptance/commands/0"],
    },
  ]);
});

test("a task names the lines with their numbers, their text and the checks, and no secret", () => {
  const [invoices, overlap] = finishing(
    handedOn(booking, ["/invoices/format", "/invoices", "/overlap", "/acceptance/http_endpoints/1"]),
  );
  expect(invoices!.description).toContain(
    "- /invoices/format, line 8: No rule for /invoices/format.\n      format: pdf",
  );
  expect(invoices!.description).toContain("password: (left out)");
  expect(invoices!.description).toContain("signing: { user: me, api_key: (left out)}");
  expect(invoices!.description).not.toMatch(/hunter2|abcdefg|secretsecret|BEGIN|hidden-too/);
  expect(overlap!.description).toContain("line 16: No rule for /overlap.\n      overlap: { of: bookings, room: once }");
  expect(overlap!.description).toContain("/acceptance/http_endpoints/1, line 20");
  expect(overlap!.description).toMatch(/GET \/bookings\/overlap .*409/);
});

test("checks that name what only the missing lines name are handed on with them, whatever the builder thinks", () => {
  const plan = handedOn(
    `design: { functions: [{ name: mean }, { name: weightedMean, of: mean }], classes: [RunningStats] }
acceptance:
  commands: [node mean.js, node -e 'weightedMean()', node -e 'new RunningStats()']
  http_endpoints: [{ path: /means }]
`,
    ["/design/functions/1", "/design/classes"],
  );
  const [task] = finishing(plan);
  expect(task!.serves).toEqual([
    ...["/design/functions/1", "/design/classes"],
    ...["/acceptance/commands/1", "/acceptance/commands/2"],
  ]);
  expect(task!.description).toMatch(/These checks speak of them.*\n- \/acceptance\/commands\/1: .*weightedMean/);
});

test("lines of a phase are finished in it; the others when all work is done, and before it is looked at", () => {
  const plan = handedOn(
    `overlap: yes
acceptance: {}
phases:
  core: { features: [Log in by link], acceptance: { commands: [./it-holds] } }
  docs: { features: [Manual] }
requirements: { agents: { security: { capabilities: [security] }, finisher: { capabilities: [api] } } }
`,
    ["/overlap", "/phases/core/features/0", "/phases/core/acceptance/commands/0"],
  );
  expect(finishing(plan).map(({ id, phase, dependsOn }) => [id, phase, dependsOn])).toEqual([
    ["finish-features-of-core", "core", ["log-in-by-link"]],
    ["finish-acceptance-of-core", "core", ["log-in-by-link", "finish-features-of-core"]],
    ["finish-overlap", "validation", []],
  ]);
  const idsOf = (phase: string) => plan.tasks.filter((task) => task.phase === phase).map(({ id }) => id);
  expect(idsOf("validation")).toEqual(["finish-overlap", "review-as-security", "validate"]);
  expect(plan.tasks.find(({ id }) => id === "review-as-security")!.dependsOn).toEqual(["finish-overlap"]);
});

test("nothing is added where nothing is left; what the document lacks serves what is written around it", () => {
  const document = resolved(booking);
  const plan = planWork(document);
  expect(handOn(plan, document, [])).toBe(plan);
  const rest = ["/api_design", "/invoices/layout/0"].map((pointer) => ({ pointer, reason: "No." }));
  expect(finishing(handOn(plan, document, rest)).map(({ id, serves }) => [id, serves])).toEqual([
    ["finish-api-design", ["/description"]],
    ["finish-invoices", ["/invoices"]],
  ]);
});

test("a line that is unmet for two reasons is served once, with both", () => {
  const document = resolved("overlap: yes\nacceptance: {}\n");
  const rest = ["One.", "Two."].map((reason) => ({ pointer: "/overlap", reason }));
  const [task] = finishing(handOn(planWork(document), document, rest));
  expect(task!.serves).toEqual(["/overlap"]);
  expect(task!.description).toContain("- /overlap: One. Two.");
});

test("of thousands of parts fifty get a task of their own, and one task gets the others", () => {
  const names = Array.from({ length: 2_000 }, (_, index) => `part${index}`);
  const keys = names.map((name) => `${name}: text\n`).join("");
  const text = `${keys}acceptance: { http_endpoints: [{ path: /part3 }, { path: /part1999 }] }\n`;
  const tasks = finishing(
    handedOn(
      text,
      names.map((name) => `/${name}`),
    ),
  );
  expect(tasks.length).toBe(51);
  expect(tasks.flatMap(({ serves }) => serves).toSorted()).toEqual(
    [...names.map((name) => `/${name}`), "/acceptance/http_endpoints/0", "/acceptance/http_endpoints/1"].toSorted(),
  );
  expect(tasks.at(-1)).toMatchObject({ title: "Finish other parts" });
  expect(tasks.at(-1)?.description).toMatch(/\n- and \d+ more: see the document\n/);
  expect(tasks.at(-1)?.serves).toContain("/acceptance/http_endpoints/1");
});
