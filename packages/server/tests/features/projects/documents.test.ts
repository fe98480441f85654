import { expect, test } from "vitest";
import { createTestApp, smallDocument } from "../../support/test-app.ts";

const { call, db } = await createTestApp();

interface Told {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly errors: { code: string; message: string; pointer: string; line: number; column: number }[];
}

const send = (payload: string | Buffer, type = "application/yaml", url = "/api/v1/projects") =>
  call({ method: "POST", url, headers: { "content-type": type }, payload });
const refusal = async (payload: string | Buffer) => (await send(payload)).json<Told>();

test("a text that is no YAML is 400, and the message names the line", async () => {
  const told = await refusal('id: a\nname: [one, two\ndescription: "x"\n');
  expect(told).toMatchObject({ status: 400, code: "invalid_yaml" });
  expect(told.detail).toMatch(/^Invalid YAML syntax at line \d+: ./);
  expect(told.errors[0]).toMatchObject({ line: expect.any(Number), column: expect.any(Number) });
});

test("missing fields are 422, and all of them are named", async () => {
  const told = await refusal("id: a\nname: b\n");
  expect(told).toMatchObject({ status: 422, code: "invalid_document" });
  for (const field of ["spec_version", "description", "outcome_type", "acceptance", "stack"]) {
    expect(told.detail).toContain(field);
  }
});

test("an unknown outcome type is 422 in the reference's words", async () => {
  const told = await refusal(smallDocument().replace("outcome_type: api", "outcome_type: website"));
  expect(told.status).toBe(422);
  expect(told.detail).toBe(
    "Unknown outcome_type 'website'. Valid types: web-app, api, cli, game, library, ml-pipeline, mobile-app, desktop-app, infrastructure, documentation",
  );
  expect(told.errors).toMatchObject([{ pointer: "/outcome_type", line: 5 }]);
});

test("a key that is there twice is 422 with the line", async () => {
  const told = await refusal(`${smallDocument()}name: Again\n`);
  expect(told).toMatchObject({ status: 422, code: "invalid_document" });
  expect(told.errors).toMatchObject([{ line: 8, column: 1 }]);
});

test("every problem is told at once, each with its place", async () => {
  const document = smallDocument().replace("stack: {}", "stack: 5").replace("name: Hello", "name: [x]");
  const told = await refusal(`${document}guardrails:\n  min_test_coverage: 7\n`);
  expect(told.errors.map(({ pointer }) => pointer)).toEqual(["/name", "/stack", "/guardrails/min_test_coverage"]);
  expect(told.errors.map(({ line }) => line)).toEqual([3, 6, 9]);
});

test.each([
  ["empty", ""],
  ["only a comment", "# nothing\n"],
  ["a list", "- a\n"],
  ["a word", "hello"],
  ["not UTF-8", Buffer.from([0x69, 0x64, 0x3a, 0x20, 0xff])],
  ["with a NUL", smallDocument().replace("Hello", '"He\\0llo"')],
  ["nested too deeply", `x: ${"[".repeat(100)}${"]".repeat(100)}\n`],
  ["a bomb of aliases", `a: &a [x]\n${"b: &b [*a, *a, *a]\n".repeat(60)}`],
])("a document that is %s is refused, never a failure", async (_, document) => {
  const answer = await send(document);
  expect([400, 422]).toContain(answer.statusCode);
  expect(answer.json<Told>().errors.length).toBeGreaterThan(0);
});

test("a document may come as JSON, and comes back as it was sent", async () => {
  const document = {
    spec_version: "1.0.0",
    id: "json",
    name: "JSON",
    description: "As JSON.",
    outcome_type: "api",
    stack: {},
    acceptance: {},
  };
  const text = JSON.stringify(document, null, 1);
  const answer = await send(text, "application/json");
  expect(answer.statusCode).toBe(201);
  const { spec_url } = answer.json<{ spec_url: string }>();
  expect((await call({ url: spec_url })).payload).toBe(text);
  expect((await call({ url: spec_url, headers: { accept: "application/json" } })).json()).toMatchObject(document);
  const twice = await send(text.replace("{", '{"id": "first",'), "application/json");
  expect(twice.statusCode).toBe(422);
});

test("a refused document leaves nothing behind", async () => {
  await send(smallDocument("refused").replace("stack: {}\n", ""));
  const found = await db.selectFrom("projects").select("id").where("document_id", "=", "refused").execute();
  expect(found).toEqual([]);
});

test("checking a document says everything and creates nothing", async () => {
  const check = (document: string) => send(document, "application/yaml", "/api/v1/specs/validate");
  const before = await db.selectFrom("projects").select("id").execute();
  expect((await check(smallDocument())).json()).toEqual({ valid: true, diagnostics: [] });
  const warned = (await check(`${smallDocument()}guardrail: {}\n`)).json<{ valid: boolean; diagnostics: object[] }>();
  expect(warned).toMatchObject({ valid: true, diagnostics: [{ severity: "warning", line: 8, pointer: "/guardrail" }] });
  const wrong = await check("id: [");
  expect(wrong.statusCode).toBe(200);
  expect(wrong.json()).toMatchObject({ valid: false, diagnostics: [{ severity: "error" }] });
  expect(await db.selectFrom("projects").select("id").execute()).toEqual(before);
});

test("a document with a warning is accepted", async () => {
  const created = await send(`${smallDocument()}guardrail: {}\n`);
  expect(created.statusCode).toBe(201);
  expect(created.json()).toMatchObject({
    status: "specification",
    diagnostics: [
      { severity: "warning", code: "misspelled_key", pointer: "/guardrail", suggestion: expect.any(String) },
    ],
  });
  expect((await send(smallDocument())).json()).not.toHaveProperty("diagnostics");
});
