// @module-tag soak
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { parse, stringify } from "yaml";
import { soakRuns } from "../../../tools/soak-runs.ts";
import { apiDocument, bookingAcceptance, bookingKeys, unsharedKeys } from "./support/api-documents.ts";
import { buildDocument, expectSameBytes, readExample, unmetOf, writeOut } from "./support/build-document.ts";
import { checkLines } from "./support/check-lines.ts";
import { runIn, runProject, startProject, token } from "./support/run-project.ts";

const corkboard = await readExample("api");
const booking = apiDocument({ ...bookingKeys, acceptance: bookingAcceptance });

const phased = apiDocument({
  scripts: { start: "node server.js", test: "npm run check" },
  auth: { scheme: "bearer", token_variable: "BOARD_TOKEN", protects: ["DELETE /notes/{id}"] },
  data_model: { note: { fields: { text: { type: "text", required: true }, rank: "integer" } } },
  phases: {
    first: { features: ["notes", "health"], acceptance: { http_endpoints: [{ path: "/health" }, { path: "/notes" }] } },
    second: { depends_on: ["first"], features: ["reports"], acceptance: { http_endpoints: [{ path: "/reports" }] } },
  },
  acceptance: {
    tests: [
      { file: "spec/**/*.spec.js", type: "unit" },
      { file: "spec/http/*.spec.js", type: "integration" },
    ],
  },
});

/** Asks a running service for something, as JSON. */
async function ask(url: string, method: string, path: string, { body, as }: { body?: object; as?: string } = {}) {
  const answer = await fetch(url + path, {
    method,
    headers: { "content-type": "application/json", ...(as !== undefined && { authorization: `Bearer ${as}` }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, json: text.startsWith("{") ? JSON.parse(text) : undefined };
}

describe("what is built works", () => {
  test("a document with accounts, roles and rules: its own tests pass, and people can do what it says", async () => {
    const built = await buildDocument(booking);
    const folder = await writeOut(built);
    const tests = "node --test test/integration/resources.test.js";
    expect(await runIn(folder, tests)).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("skipped 0") });
    const url = await startProject(folder, built.scripts["start"]!);
    await checkLines(built, folder, url);
    expect(unmetOf(built)).toEqual([]);

    const login = async (email: string, password: string) =>
      (await ask(url, "POST", "/api/login", { body: { email, password } })).json.token as string;
    const boss = await login("boss@example.org", "correct horse");
    await ask(url, "POST", "/api/sign-up", { body: { email: "noor@example.org", password: "open sesame" } });
    const noor = await login("noor@example.org", "open sesame");
    const room = { name: "Ash", seats: 3 };
    expect((await ask(url, "POST", "/api/rooms", { body: room, as: noor })).status).toBe(403);
    expect((await ask(url, "POST", "/api/rooms", { body: room, as: boss })).status).toBe(201);
    expect((await ask(url, "GET", "/api/export", { as: noor })).status).toBe(403);

    const book = (from: number, to: number, more = {}) =>
      ask(url, "POST", "/api/bookings", {
        body: { room_id: 1, starts_at: `2030-05-04T${from}:00:00Z`, ends_at: `2030-05-04T${to}:00:00Z`, ...more },
        as: noor,
      });
    const statuses = [book(12, 11), book(10, 12, { guests: 9 }), book(10, 12, { room_id: 99 })];
    for (const answer of await Promise.all(statuses)) expect(answer.status).toBe(422);
    expect((await book(10, 12)).json).toMatchObject({ id: 1, room_id: 1, booked_by: 2, status: "open" });
    expect(await book(11, 13)).toMatchObject({
      status: 409,
      json: { error: { fields: { starts_at: expect.stringMatching(/overlaps/) } } },
    });
    expect((await book(12, 13)).status).toBe(201);
    expect((await book(14, 15)).status).toBe(409);
    expect((await ask(url, "DELETE", "/api/rooms/1", { as: boss })).status).toBe(409);
    expect((await ask(url, "POST", "/api/bookings/1/cancel", { as: noor })).json.status).toBe("cancelled");
    expect((await book(10, 12)).status).toBe(201);
  });

  test("what no two records share is tried with values that fit; where none is known, that is said", {
    tags: "long",
  }, async () => {
    const folder = await writeOut(await buildDocument(apiDocument(unsharedKeys)));
    const { exitCode, stdout } = await runIn(folder, "node --test test/integration/resources.test.js");
    expect(stdout).toContain("no value of odd is known that fits");
    expect(stdout).toContain("skipped 1");
    expect(exitCode, stdout).toBe(0);
  });

  test("a document in phases: its parts are where it says, and what nobody declared is reported", {
    tags: "long",
  }, async () => {
    const all = await buildDocument(phased);
    const folder = await writeOut(all);
    expect(await runIn(folder, "node --test spec/http/resources.spec.js")).toMatchObject({ exitCode: 0 });
    const url = await startProject(folder, all.scripts["start"]!, "BOARD_TOKEN");
    expect((await ask(url, "DELETE", "/notes/1")).status).toBe(401);
    expect((await ask(url, "DELETE", "/notes/1", { as: token })).status).toBe(404);
    expect([...all.files.keys()]).toEqual(
      expect.arrayContaining(["server.js", "spec/store.spec.js", "spec/http/service.spec.js"]),
    );
    expect(unmetOf(all).map(({ pointer }) => pointer)).toEqual([
      "/phases/first/features/0",
      "/phases/first/features/1",
      "/phases/second/features/0",
      "/phases/second/acceptance/http_endpoints/0",
    ]);
  });

  test("records survive a new version that renames, adds and removes fields, and the way back", async () => {
    const version = (name: string, keys: object) =>
      apiDocument({ data_model: { [name]: { path: "/notes", ...keys } } });
    const one = await buildDocument(version("note", { fields: { text: "string", colour: "string" } }));
    const fields = { title: { type: "string", was: "text" }, rank: { type: "integer", default: 3 } };
    const two = await buildDocument(version("memo", { was: "note", fields }));
    const folder = await mkdtemp(join(tmpdir(), "slipway-versions-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const variables = { SLIPWAY_DATA_DIR: folder, API_TOKEN: token };
    const start = async (built: typeof one) => runProject(await writeOut(built), built.scripts["start"]!, variables);
    const [old, next] = [await start(one), await start(two)];
    await ask(old.address, "POST", "/notes", { body: { text: "Milk", colour: "red" } });
    expect((await ask(next.address, "GET", "/notes/1")).json).toMatchObject({ title: "Milk", rank: 3 });
    await ask(next.address, "PATCH", "/notes/1", { body: { title: "Oat milk" } });
    expect((await ask(old.address, "GET", "/notes/1")).json).toMatchObject({ text: "Oat milk", colour: "red" });
  });

  test("a document of several services becomes one program, which says so and answers for all of them", {
    tags: "long",
  }, async () => {
    const built = await buildDocument(await readExample("services"));
    const folder = await writeOut(built);
    const url = await startProject(folder, built.scripts["start"]!);
    await checkLines(built, folder, url);
    expect(unmetOf(built).map(({ pointer }) => pointer)).toContain("/services/gateway");
    expect([...built.files.keys()]).toContain("services/all/test/store.test.js");
  });

  test("a program that is broken fails its own tests", async () => {
    const built = await buildDocument(corkboard);
    const folder = await writeOut(built);
    const place = join(folder, "src/validate.js");
    await writeFile(place, (await readFile(place, "utf8")).replace("field.values.includes(value)", "true"));
    expect((await runIn(folder, "node --test test/unit/validate.test.js")).exitCode).not.toBe(0);
  });
});

test.each([corkboard, booking, phased])(
  "the same document gives the same bytes, whatever the order of tasks",
  expectSameBytes,
);

test("what acceptance expects changes nothing of the result, nor does what it sends", async () => {
  const document = parse(corkboard);
  const { http_endpoints: endpoints, integration_tests: flows, ...rest } = document.acceptance;
  const others = endpoints.map(({ path, ...line }: { path: string; debug?: boolean }) => ({
    ...line,
    path: `${path}/else`,
    status: 418,
    response_contains: "short and stout",
    body: { planted: "text" },
  }));
  const acceptance = { ...rest, http_endpoints: others, integration_tests: flows.slice(0, 0) };
  const files = async (text: string) =>
    new Map([...(await buildDocument(text)).files].filter(([path]) => !path.startsWith("docs/tasks/")));
  expect(await files(stringify({ ...document, acceptance }))).toEqual(await files(corkboard));
});

test("what cannot be honoured is reported, with its position", async () => {
  const built = await buildDocument(
    apiDocument({
      stack: { language: "typescript", framework: "express", database: "postgres" },
      auth: { protects: ["/nowhere"], default_role: "boss", roles: ["admin"], secret_handshake: true },
      data_model: {
        place: {
          path: "/places",
          fields: {
            kind: { type: "enum" },
            near: { type: "reference", to: "palce" },
            size: { type: "integer", pattern: "x" },
          },
          filters: ["colour"],
          access: { delete: "amdin" },
          rules: [
            "size > lenght",
            { unique: ["size"], check: "size > 1" },
            "size >",
            { check: "near.size > 1" },
            "size > 'x'",
          ],
          seed: [{ kind: "hill", colour: "green" }],
          actions: { climb: { sets: { height: 3 } } },
        },
        config: { single: true, fields: { open: "boolean" }, actions: { close: { sets: { open: false } } } },
      },
      acceptance: {
        tests: [{ file: "test/*.test.js", framework: "jest" }],
        http_endpoints: [
          { path: "/places", method: "POST", status: 503 },
          { path: "/early", status: 103 },
          { path: "/elsewhere" },
          { path: "/places", auth_required: true },
        ],
        commands: ["make coffee"],
        delight: { level: "high" },
      },
    }),
  );
  const pointers = unmetOf(built).map(({ pointer }) => pointer);
  expect(pointers.toSorted()).toEqual(
    [
      "/acceptance/commands/0",
      "/acceptance/delight",
      "/acceptance/http_endpoints/0",
      "/acceptance/http_endpoints/1",
      "/acceptance/http_endpoints/2",
      "/acceptance/http_endpoints/3",
      "/acceptance/tests/0",
      "/auth/default_role",
      "/auth/protects/0",
      "/auth/secret_handshake",
      "/data_model/config/actions",
      "/data_model/place/access/delete",
      "/data_model/place/actions/climb/sets/height",
      "/data_model/place/fields/kind",
      "/data_model/place/fields/near/to",
      "/data_model/place/fields/size/pattern",
      "/data_model/place/filters/0",
      "/data_model/place/rules/0/check",
      "/data_model/place/rules/1",
      "/data_model/place/rules/2/check",
      "/data_model/place/rules/3/check",
      "/data_model/place/rules/4/check",
      "/data_model/place/seed/0/colour",
      "/stack/database",
      "/stack/framework",
      "/stack/language",
    ].toSorted(),
  );
  expect(built.files.get("README.md")!.text).toContain("## Not built");
});

test("defaults, limits and records from the start that do not fit are reported, and left out", async () => {
  const built = await buildDocument(
    apiDocument({
      data_model: {
        thing: {
          fields: {
            title: { type: "string", required: true, min_length: 9, max_length: 3 },
            size: { type: "enum", values: ["s", "m"], default: "xl" },
            isOpen: { type: "boolean", default: "maybe" },
            due: { type: "date", default: "soon" },
            made: { type: "date", default: "today" },
            rank: { type: "integer", min: 5, max: 2, unique: true },
            slow: { type: "string", pattern: "^(a+)+$" },
            other: { type: "reference", to: "thing" },
          },
          seed: [
            { size: "s" },
            { title: "Two", rank: "high" },
            { title: "Three", rank: 3 },
            { title: "Four", rank: 3 },
            { title: "Five", other: 9 },
            { title: "Six", slow: `${"a".repeat(60)}!` },
            { title: "Seven", other: 3 },
          ],
        },
        config: { single: true, page_size: 5, list_key: "all", fields: { open: "boolean" } },
      },
    }),
  );
  expect(Object.fromEntries(unmetOf(built).map(({ pointer, reason }) => [pointer, reason]))).toEqual({
    "/data_model/thing/fields/title/min_length": expect.stringContaining("above 'max_length'"),
    "/data_model/thing/fields/size/default": "It is left out: it must be one of s, m.",
    "/data_model/thing/fields/isOpen/default": "It is left out: it must be true or false.",
    "/data_model/thing/fields/due/default": expect.stringContaining("must be a date"),
    "/data_model/thing/fields/rank/min": expect.stringContaining("above 'max'"),
    "/data_model/thing/seed/0": "The record is left out: title is required.",
    "/data_model/thing/seed/1/rank": "The record is left out: rank must be a whole number.",
    "/data_model/thing/seed/3/rank": expect.stringContaining("earlier record"),
    "/data_model/thing/seed/4/other": expect.stringContaining("leads to no thing"),
    "/data_model/thing/seed/5/slow": expect.stringContaining("must match"),
    "/data_model/config/page_size": expect.stringContaining("no list"),
    "/data_model/config/list_key": expect.stringContaining("no list"),
  });
  expect(JSON.parse(built.files.get("model/resources/thing.json")!.text).seed).toEqual([
    { id: 3, title: "Three", rank: 3 },
    { id: 7, title: "Seven", other: 3 },
  ]);
  const folder = await writeOut(built);
  const { exitCode, stdout } = await runIn(folder, "node --test test/integration/resources.test.js");
  expect(exitCode, stdout).toBe(0);
});

const hostile = fc
  .oneof(
    fc.constantFrom(
      '"',
      "'",
      "`",
      `\${process.exit()}`,
      "</script>",
      "\n",
      "\u2028",
      "../../etc",
      "🦔",
      "toString",
      "*/",
    ),
    fc.string(),
  )
  .filter((text) => !["__proto__", "constructor", "prototype"].includes(text));

test("whatever names and texts a document has, its files are whole", async () => {
  await fc.assert(
    fc.asyncProperty(hostile, hostile, hostile, hostile, async (name, field, value, word) => {
      const built = await buildDocument(
        apiDocument({
          name,
          description: value,
          data_model: Object.fromEntries([
            [
              name,
              {
                path: `/things/${encodeURIComponent(word)}`,
                fields: Object.fromEntries([
                  [field, { type: "enum", values: [value, name], label: word || "x", default: value }],
                ]),
                rules: [{ unique: [field || "x"], message: value || "x" }, `${field} == 1`],
                seed: [Object.fromEntries([[field, value]])],
              },
            ],
          ]),
        }),
      );
      for (const [path, { text }] of built.files) {
        expect(path).toMatch(/^[\w./%-]+$/);
        expect(path.split("/")).not.toContain("..");
        if (path.endsWith(".json")) JSON.parse(text);
      }
    }),
    { numRuns: soakRuns(60) },
  );
});
