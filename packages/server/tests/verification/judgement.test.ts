// @module-tag soak
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AcceptanceReport } from "@slipway/contract";
import { afterAll, describe, expect, test } from "vitest";
import { soakCases } from "../../../../tools/soak-runs.ts";
import { submit, tasksOf, untilEnded } from "../support/engine/follow.ts";
import { documentOf } from "../support/engine/stage.ts";
import { createTestApp } from "../support/test-app.ts";

// Real programs in the real sandbox: one builds, others judge what it built.

const programs = await mkdtemp(join(tmpdir(), "slipway-judges-"));
afterAll(() => rm(programs, { recursive: true, force: true }));

/** Builds what is asked for; in a round of repair it mends its manners. */
const builder = `
const { writeFileSync, symlinkSync, mkdirSync } = require("node:fs");
const prompt = require("node:fs").readFileSync(0, "utf8");
const isRepair = prompt.includes("id: slipway-repair");
writeFileSync("greeting.txt", isRepair ? "Good morning, and welcome!" : "Hello, dear reader.\\n  Make yourself\\n  at home.");
writeFileSync("told.txt", prompt);
if (!isRepair) {
  symlinkSync("greeting.txt", "link.txt");
  mkdirSync("verification-review");
  writeFileSync("verification-review/answers.json", JSON.stringify([{ pointer: "/acceptance/tone", verdict: "passed",
    reason: "I am very friendly.", evidence: ["greeting.txt"] }]));
}`;

/** A judge that runs this; \`answer\` writes its answers. */
const judge = (body: string) => `
const { writeFileSync, symlinkSync, readFileSync, existsSync } = require("node:fs");
const prompt = readFileSync(0, "utf8");
const answer = (list) => writeFileSync("verification-review/answers.json", typeof list === "string" ? list : JSON.stringify(list));
const pointer = "/acceptance/tone";
${body}`;

/** Lines of a document, each with an answer that must not count, and what is said of it. */
const lies = {
  unreasoned: [`{ verdict: "passed", evidence: ["greeting.txt"] }`, "answered 'passed', but gave no reason."],
  unproven: [
    `{ verdict: "passed", reason: "Trust me." }`,
    "answered 'passed', but showed nothing for it. It said: Trust me.",
  ],
  invented: [
    `{ verdict: "passed", reason: "See.", evidence: [{ path: "proof.txt", quote: "friendly" }] }`,
    "but 'proof.txt' is no file of the result.",
  ],
  misquoted: [
    `{ verdict: "passed", reason: "See.", evidence: ["told.txt", { path: "greeting.txt", quote: "the friendliest" }] }`,
    "but 'greeting.txt' does not say what it quotes.",
  ],
  outside: [
    `{ verdict: "passed", reason: "See.", evidence: ["../../../etc/passwd"] }`,
    "but '../../../etc/passwd' is no file of the result.",
  ],
  linked: [`{ verdict: "passed", reason: "See.", evidence: ["link.txt"] }`, "but 'link.txt' is no file of the result."],
  waived: [
    `{ verdict: "waived", reason: "Never mind." }`,
    "did not answer. Nobody asked about '/acceptance/commands/0'.",
  ],
  unsure: [`{ verdict: "not_checked", reason: "Too dark." }`, "Agent liar could not tell. Too dark."],
  leaked: [
    `{ verdict: "passed", reason: "The key is " + process.env.JUDGE_TEST_KEY, evidence: ["none"] }`,
    "It said: The key is ",
  ],
} as const;

const judges = {
  good: `const proof = "verification-review/evidence/verification/sbom.cdx.json";
    if (process.env.JUDGE_DOCUMENT_SECRET !== undefined) process.exit(2);
    if (!existsSync("verification-review/questions.json") || !prompt.includes('tone: "friendly"')) process.exit(1);
    answer([{ pointer, verdict: "passed", reason: "It greets warmly.",
      evidence: [{ path: "greeting.txt", quote: "Make yourself at home." }, { path: proof, quote: '"CycloneDX"' }] }]);`,
  strict: `const text = readFileSync("greeting.txt", "utf8");
    answer([{ pointer, verdict: text.includes("morning") ? "passed" : "failed",
      reason: text.includes("morning") ? "Now it is polite." : "It does not say 'Good morning'.", evidence: ["greeting.txt"] }]);`,
  liar: `writeFileSync("proof.txt", "friendly");
    answer([{ pointer: "/acceptance/commands/0", verdict: "failed", reason: "I do not like it." },
      ${Object.entries(lies)
        .map(([name, [text]]) => `{ pointer: "/acceptance/${name}", ...${text} }`)
        .join(", ")}]);`,
  linking: `symlinkSync("/etc/passwd", "verification-review/answers.json");`,
  huge: `answer("[" + "0,".repeat(2e6) + "0]");`,
  crashing: `answer([{ pointer, verdict: "passed", reason: "a", evidence: ["greeting.txt"] }]); process.exit(7);`,
  silent: "",
} as const;

process.env["JUDGE_TEST_KEY"] = "open-sesame/4711";
process.env["JUDGE_DOCUMENT_SECRET"] = "of-the-document";
afterAll(() => {
  delete process.env["JUDGE_TEST_KEY"];
  delete process.env["JUDGE_DOCUMENT_SECRET"];
});

async function program(name: string, text: string): Promise<string> {
  const path = join(programs, name);
  await writeFile(path, `#!${process.execPath}\n${text}\n`, { mode: 0o755 });
  return path;
}

const named = async (name: string, text: string, capabilities: readonly string[], more = {}) => ({
  name,
  kind: "command",
  command: await program(name, text),
  capabilities,
  slots: 2,
  ...more,
});

const app = await createTestApp({
  sandbox: "auto",
  engine: { retryDelayMs: () => 0 },
  agents: {
    file: join(programs, "slipway.yaml"),
    declared: [
      await named("author", builder, ["writes", "reviewer", "self"]),
      await named("twin-a", builder, ["twin"], { model: "one-model" }),
      await named("twin-b", judge(judges.good), ["twin-judge"], { model: "One-Model" }),
      ...(await Promise.all(
        Object.entries(judges).map(([name, body]) =>
          named(name, judge(body), [name], name === "liar" ? { env: ["JUDGE_TEST_KEY"] } : {}),
        ),
      )),
    ],
  },
});

const judgedBy = (reviewer: string, parts: object = {}, implementer = "writes") =>
  documentOf({
    id: `judged-${reviewer}-${implementer}`,
    requirements: {
      agents: { implementer: { capabilities: [implementer] }, reviewer: { capabilities: [reviewer] } },
    },
    acceptance: { tone: "friendly" },
    ...parts,
  });

async function run(...about: Parameters<typeof judgedBy>) {
  const id = await submit(app, judgedBy(...about));
  const project = await untilEnded(app, id);
  const report = (await app.call({ url: `/api/v1/projects/${id}/acceptance` })).json<AcceptanceReport>();
  const line = (pointer: string) => report.lines.find((one) => one.pointer === pointer);
  return { id, project, report, line, tone: line("/acceptance/tone") };
}

const runsOf = (id: string) =>
  app.db
    .selectFrom("agent_runs")
    .select("outcome")
    .where("project_id", "=", id)
    .where("task_id", "=", "validate")
    .execute();

describe("an agent that built nothing is asked about lines that no check answers", () => {
  test("and what it shows counts, with its name, its reasoning and its answers kept", async () => {
    const secrets = { provider: "env", required: ["JUDGE_DOCUMENT_SECRET"] };
    const { id, project, tone } = await run("good", { secrets });
    expect(project).toMatchObject({ status: "deployed", checks: { not_checked: 0 } });
    expect(tone).toMatchObject({
      verdict: "passed",
      reason: expect.stringMatching(/^Agent good: It greets warmly\. \(greeting\.txt, /),
      answered_by: { by: "agent", id: expect.stringMatching(/^agent_/), name: "good", kind: "command" },
      evidence: ["verification/review.json"],
    });
    const kept = await app.call({ url: `/api/v1/projects/${id}/artifacts/verification/review.json` });
    expect(kept.json()).toMatchObject({ asked: ["/acceptance/tone"], answers: [{ verdict: "passed" }] });
    // Its run is recorded like any other, and nothing of it gets into the result.
    expect(await runsOf(id)).toEqual([{ outcome: "completed" }]);
    const source = await app.call({
      url: `/api/v1/projects/${id}/artifacts/source/verification-review/questions.json`,
    });
    expect(source.statusCode).toBe(404);
  });

  test("and what it refuses is mended, or fails the project with that line", { tags: "long" }, async () => {
    const mended = await run("strict");
    expect(mended.project).toMatchObject({ status: "deployed" });
    expect(mended.tone).toMatchObject({ verdict: "passed", reason: expect.stringContaining("Now it is polite.") });
    expect((await tasksOf(app, mended.id)).map(({ task_id }) => task_id)).toContain("slipway-repair-1");
    const failed = await run("strict", { id: "unmended", guardrails: { repair_rounds: 0 } });
    expect(failed.project).toMatchObject({ status: "failed", error: { code: "acceptance_failed" } });
    expect(failed.project.error?.message).toContain("Agent strict: It does not say 'Good morning'.");
    expect(failed.tone).toMatchObject({ verdict: "failed", answered_by: { by: "agent" } });
  });

  test("but answers that show nothing that is there count for nothing, and check no line that a check answers", {
    tags: "long",
  }, async () => {
    const lines = Object.fromEntries(Object.keys(lies).map((name) => [name, "friendly"]));
    const { project, line } = await run("liar", { acceptance: { ...lines, commands: ["true"] } });
    expect(project).toMatchObject({ status: "deployed", checks: { failed: 0 } });
    for (const [name, [, reason]] of Object.entries(lies)) {
      const found = line(`/acceptance/${name}`);
      expect(found).toMatchObject({
        verdict: "not_checked",
        answered_by: null,
        reason: expect.stringContaining(reason),
      });
      expect(found?.reason).not.toContain("open-sesame");
    }
    expect(line("/acceptance/commands/0")).toMatchObject({ verdict: "passed", answered_by: { by: "service" } });
  });

  test.for(
    soakCases([
      ["linking", "gave no usable answer: 'verification-review/answers.json' is a"],
      ["huge", "gave no usable answer: 'verification-review/answers.json' is larger"],
      ["crashing", "was asked, but failed:"],
      // Also not with the answers that the author left there.
      ["silent", "was asked, but wrote no 'verification-review/answers.json'."],
    ] as const),
  )("but an agent that is %s harms nothing", { tags: "long" }, async ([name, reason]) => {
    const { project, tone } = await run(name);
    expect(project).toMatchObject({ status: "deployed", checks: { failed: 0, not_checked: 1 } });
    expect(tone).toMatchObject({ verdict: "not_checked", reason: expect.stringContaining(reason) });
  });

  test("and is not asked where the checks refuse the result", { tags: "long" }, async () => {
    const failing = { acceptance: { tone: "friendly", commands: ["false"] }, guardrails: { repair_rounds: 0 } };
    const { id, project, tone } = await run("strict", { id: "refused", ...failing });
    expect(project.error?.message).toContain("1 of ");
    expect(tone).toMatchObject({ verdict: "not_checked" });
    expect(await runsOf(id)).toEqual([]);
  });
});

describe("who built a part is not asked", () => {
  test("by its id", { tags: "long" }, async () => {
    const { project, tone } = await run("self");
    expect(project).toMatchObject({ status: "deployed", checks: { not_checked: 1 } });
    expect(tone).toMatchObject({ verdict: "not_checked", reason: expect.stringContaining("built a part of this") });
  });

  test("nor is the same model under another name", { tags: "long" }, async () => {
    const { tone } = await run("twin-judge", {}, "twin");
    expect(tone).toMatchObject({ verdict: "not_checked", reason: expect.stringContaining("or one like it, built") });
  });
});

test("where nobody can judge, the line stays open, and the document decides what that means", async () => {
  const nobody = { requirements: { agents: { implementer: { capabilities: ["writes"] } } } };
  const allowed = await run("nobody", nobody);
  // The author offers the role of a reviewer, and the built-in agent does.
  expect(allowed.project).toMatchObject({ status: "deployed", checks: { not_checked: 1 } });
  expect(allowed.tone).toMatchObject({ verdict: "not_checked" });
  const refused = await run("nobody-2", { ...nobody, guardrails: { unverified: "fail" } });
  expect(refused.project).toMatchObject({ status: "failed", error: { code: "not_checked" } });
});

test("a dry run says which lines an agent would be asked about, and whom", async () => {
  const tried = async (...about: Parameters<typeof judgedBy>) => {
    const url = "/api/v1/projects?dry_run=true";
    const headers = { "content-type": "application/yaml" };
    const answer = await app.call({ method: "POST", url, headers, payload: judgedBy(...about) });
    const { acceptance } = answer.json<{ acceptance: { pointer: string; asked_of: string | null }[] }>();
    return Object.fromEntries(acceptance.map(({ pointer, asked_of }) => [pointer, asked_of]));
  };
  const { id } = await app.db.selectFrom("agents").select("id").where("name", "=", "good").executeTakeFirstOrThrow();
  const lines = { acceptance: { tone: "friendly", files_exist: ["a"], commands: ["true"], performance: { joy: 1 } } };
  expect(await tried("good", lines)).toMatchObject({
    "/acceptance/tone": id,
    "/acceptance/performance/joy": id,
    "/acceptance/files_exist": null,
    "/acceptance/commands/0": null,
  });
  for (const [reviewer, implementer] of [["self"], ["twin-judge", "twin"]] as const)
    expect(await tried(reviewer, {}, implementer)).toMatchObject({ "/acceptance/tone": null });
});
