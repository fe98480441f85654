import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { untilEnded } from "../../support/engine/follow.ts";
import { createStage } from "../../support/engine/stage.ts";

const { app, play } = await createStage();
const folder = await mkdtemp(join(tmpdir(), "slipway-stand-in-"));
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Two folders stand for two databases, which the software finds by what a secret holds. */
const set = (name: string, value: string) =>
  app.call({ method: "PUT", url: `/api/v1/secrets/${name}`, payload: { value } });
await set("DATABASE", join(folder, "real"));
const rowsIn = async (database: string) =>
  (await readFile(join(folder, database), "utf8").catch(() => "")).trim().split("\n");

const server = `require('http').createServer((q,s)=>{const rows=fs.readFileSync(process.env.DATABASE,'utf8');if(q.method==='POST')fs.appendFileSync(process.env.DATABASE,'a row\\n');s.end(rows)}).listen(process.env.PORT,process.env.HOST)`;
const parts = {
  secrets: { provider: "slipway", required: ["DATABASE"], verification: { DATABASE: "TEST_DATABASE" } },
  scripts: {
    build: 'echo "built" >> "$DATABASE"',
    migrate: 'echo "table" >> "$DATABASE"',
    start: `${process.execPath} -e "${server}"`,
  },
  acceptance: { http_endpoints: [{ path: "/", method: "POST", status: 200, response_contains: "table" }] },
};

test("without what stands in for a secret, nothing begins", async () => {
  const { status, error } = await untilEnded(app, await play(parts));
  expect([status, error?.message]).toEqual(["failed", expect.stringContaining("secret 'TEST_DATABASE' not found")]);
});

test("nor does anything without the secret itself, which the deployed software would lack", async () => {
  const secrets = { provider: "slipway", optional: ["OTHER"], verification: { OTHER: "DATABASE" } };
  const { status, error } = await untilEnded(app, await play({ ...parts, secrets }));
  expect([status, error?.message]).toEqual(["failed", expect.stringContaining("secret 'OTHER' not found")]);
});

test("verification migrates and writes where the stand-in leads, and the deployment where the secret does", async () => {
  await set("TEST_DATABASE", join(folder, "test"));
  const { status, error } = await untilEnded(app, await play(parts));
  expect([status, error]).toEqual(["deployed", null]);
  expect(await rowsIn("test")).toEqual(["built", "table", "a row"]);
  expect(await rowsIn("real")).toEqual(["built", "table"]);
});

test("a result that holds what only the deployed software gets is refused", async () => {
  const id = await play(parts, async ({ folder: place, task }) => {
    if (task.role === "planner") return undefined;
    await writeFile(join(place, "settings.txt"), `database=${join(folder, "real")}`);
    return { is: "done" };
  });
  expect((await untilEnded(app, id)).error).toMatchObject({ code: "secret_found" });
});

test("a migration that fails in verification says why its lines fail, before anything is deployed", async () => {
  const scripts = { ...parts.scripts, migrate: "echo no such column >&2; exit 3" };
  const { error } = await untilEnded(app, await play({ ...parts, scripts, guardrails: { repair_rounds: 0 } }));
  expect(error?.message).toContain("scripts.migrate ended with exit code 3. Last output: no such column");
  expect(await rowsIn("real")).toEqual(["built", "table"]);
});
