import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { FakeService, problem } from "./fake-service.ts";
import { folderWith, slipway, slipwayProcess, unsetEnv } from "./run-slipway.ts";

const caller = { user_id: "usr_1", name: "ada", role: "svc:user", scopes: ["projects:read"], api_key_id: null };

test("a login keeps address and token for later commands, until the logout; only its owner reads them", async () => {
  const service = await new FakeService().listen();
  service.answer("GET /api/v1/auth/whoami", caller);
  service.answer("GET /api/v1/projects", { projects: [], next_cursor: null });
  const cwd = await folderWith({});
  const file = join(cwd, "config/contexts.json");
  const env = { ...unsetEnv, SLIPWAY_CONTEXTS: file };
  const call = (args: string[], input = "") => slipway(args, { cwd, env, input });
  const login = await call(["login", service.url, "--context", "work"], "the-token\n");
  expect(login).toMatchObject({ code: 0, out: `Logged in to ${service.url} as ada (svc:user)\n` });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await call(["projects", "list"])).toMatchObject({ code: 0, err: "There are no projects.\n" });
  expect(service.asked.at(-1)?.headers.authorization).toBe("Bearer the-token");
  expect((await call(["whoami", "--output", "yaml"])).out).toContain('name: ada\nrole: "svc:user"');
  const listed = await call(["contexts", "list", "--json"]);
  expect(JSON.parse(listed.out)).toEqual({ contexts: [{ name: "work", url: service.url, is_current: true }] });
  expect(await call(["contexts", "use", "home"])).toMatchObject({ code: 4 });
  expect(await call(["projects", "list", "--context", "home"])).toMatchObject({ code: 2 });
  expect(await call(["logout"])).toMatchObject({ code: 0, out: "'work' is forgotten\n" });
  expect(await call(["projects", "list"])).toMatchObject({
    code: 5,
    err: expect.stringContaining("no service has run"),
  });
});

test("a login by a browser renews its token before it ends, with one key for all who do so at once", async () => {
  const service = await new FakeService().listen();
  service.answer("GET /api/v1/auth/whoami", caller);
  const issued = { user_id: "usr_1", token: "new-token", expires_at: "2100-01-01T00:00:00Z" };
  const refreshed = { ...issued, refresh_token: "new-refresh", refresh_expires_at: "2100-01-01T00:00:00Z" };
  service.answer("POST /api/v1/auth/refresh", refreshed);
  service.answer("DELETE /api/v1/auth/sessions/current", () => ({ status: 204, body: null }));
  const login = { url: service.url, token: "old", refresh_token: "old-refresh", expires_at: "2020-01-01T00:00:00Z" };
  const cwd = await folderWith({ "c.json": JSON.stringify({ current: "a", contexts: { a: login } }) });
  const env = { ...unsetEnv, SLIPWAY_CONTEXTS: join(cwd, "c.json") };
  expect(await slipway(["whoami"], { cwd, env })).toMatchObject({ code: 0 });
  expect(await slipway(["whoami"], { cwd, env })).toMatchObject({ code: 0 });
  const [refresh, ...rest] = service.asked;
  expect(JSON.parse(refresh!.body)).toEqual({ refresh_token: "old-refresh" });
  expect(refresh!.headers["idempotency-key"]).toBe(createHash("sha256").update("old-refresh").digest("hex"));
  expect(rest.map(({ headers }) => headers.authorization)).toEqual(["Bearer new-token", "Bearer new-token"]);
  expect(await slipway(["logout"], { cwd, env })).toMatchObject({ code: 0 });
  expect(service.asked.at(-1)?.headers.authorization).toBe("Bearer new-token");
  expect(service.asked).toHaveLength(4);
});

test("flags go before the environment, and that before what was logged in to", async () => {
  const service = await new FakeService().listen();
  service.answer("GET /api/v1/auth/whoami", caller);
  const cwd = await folderWith({
    "c.json": '{"current":"a","contexts":{"a":{"url":"http://127.0.0.1:9","token":"t"}}}',
  });
  const away = { SLIPWAY_URL: "http://127.0.0.1:9", SLIPWAY_TOKEN: "t" };
  const env = { ...unsetEnv, SLIPWAY_CONTEXTS: join(cwd, "c.json") };
  const url = ["--url", service.url, "--token", "the-token"];
  expect(await slipway(["whoami", ...url], { cwd, env: { ...env, ...away } })).toMatchObject({ code: 0 });
  expect(await slipway(["whoami"], { cwd, env: { ...env, ...service.env } })).toMatchObject({ code: 0 });
});

test("an address without a token uses a login there, or the data folder whose service has it; else it says what wins", async () => {
  const service = await new FakeService().listen();
  service.answer("GET /api/v1/auth/whoami", caller);
  const cwd = await folderWith({ "data/admin-token": "the-token\n" });
  const env = { ...unsetEnv, SLIPWAY_URL: service.url, SLIPWAY_DATA: join(cwd, "data"), SLIPWAY_CONTEXTS: `${cwd}/c` };
  const whoami = () => slipway(["whoami"], { cwd, env });

  const { code, err } = await whoami();
  expect(code).toBe(2);
  expect(err).toContain(
    `${service.url}, which SLIPWAY_URL names, requires a token: set SLIPWAY_TOKEN, give --token, or`,
  );
  expect(err).toContain(
    `SLIPWAY_URL goes before the data folder ${cwd}/data: for the service there, leave SLIPWAY_URL`,
  );

  const local = createServer((socket) => socket.end(`${service.url}\n`)).listen(join(cwd, "data/service.sock"));
  onTestFinished(() => void local.close());
  expect(await whoami()).toMatchObject({ code: 0 });
  local.close();
  await writeFile(`${cwd}/c`, JSON.stringify({ contexts: { work: { url: service.url, token: "the-token" } } }));
  expect(await whoami()).toMatchObject({ code: 0 });
});

test("keys are created, rotated and revoked; the key alone is on standard output", async () => {
  const service = await new FakeService().listen();
  const key = { api_key_id: "ak_1", api_key: "spec_sk_x", scopes: [], created_at: "now", expires_at: "then" };
  service.answer("POST /api/v1/auth/api-keys", key);
  service.answer("POST /api/v1/auth/api-keys/ak_1/rotate", key);
  service.answer("DELETE /api/v1/auth/api-keys/ak_1", () => ({ status: 204, body: null }));
  service.answer("GET /api/v1/auth/api-keys", {
    api_keys: [{ ...key, name: "ci", last_used_at: null, revoked_at: null }],
    next_cursor: null,
  });
  const { env } = service;
  const created = await slipway(["keys", "create", "ci", "--scopes", "projects:read, projects:create"], { env });
  expect(created).toMatchObject({ code: 0, out: "spec_sk_x\n", err: expect.stringContaining("only once") });
  expect(JSON.parse(service.asked[0]!.body)).toEqual({ name: "ci", scopes: ["projects:read", "projects:create"] });
  expect(await slipway(["keys", "rotate", "ci"], { env })).toMatchObject({ code: 0, out: "spec_sk_x\n" });
  expect(await slipway(["keys", "revoke", "ci"], { env })).toMatchObject({ code: 0, out: "ak_1 is revoked\n" });
  expect(await slipway(["keys", "delete", "nobody"], { env })).toMatchObject({ code: 4 });
});

test("bash completes commands, verbs and options", async () => {
  const { out } = await slipway(["completion", "bash"]);
  const script = `${out}\nCOMP_WORDS=(slipway projects roll); COMP_CWORD=2; _slipway; echo "\${COMPREPLY[@]}"
COMP_WORDS=(slipway projects rollback --che); COMP_CWORD=3; _slipway; echo "\${COMPREPLY[@]}"
COMP_WORDS=(slipway diag); COMP_CWORD=1; _slipway; echo "\${COMPREPLY[@]}"`;
  const { stdout } = spawnSync("bash", ["-c", script], { encoding: "utf8" });
  expect(stdout).toBe("rollback\n--checkpoint\ndiagnose\n");
  for (const shell of ["zsh", "fish"]) expect((await slipway(["completion", shell])).out).toContain("health-check");
  expect(await slipway(["completion", "cmd"])).toMatchObject({ code: 2 });
});

test.each(["null", "[", '{"contexts":null}', '{"contexts":{"a":null}}', '{"contexts":{"a":{"url":5,"token":"t"}}}'])(
  "a file of contexts that somebody wrote is refused with what to do: %s",
  async (text) => {
    const cwd = await folderWith({ "c.json": text });
    const env = { ...unsetEnv, SLIPWAY_CONTEXTS: join(cwd, "c.json") };
    for (const args of [
      ["contexts", "list"],
      ["whoami", "--context", "a"],
    ])
      expect(await slipway(args, { cwd, env })).toMatchObject({
        code: 2,
        err: `slipway: cannot read ${join(cwd, "c.json")}: remove it and run 'slipway login'\n`,
      });
  },
);

test("a name that every object has is no context", async () => {
  const cwd = await folderWith({ "c.json": "{}" });
  const env = { ...unsetEnv, SLIPWAY_CONTEXTS: join(cwd, "c.json") };
  for (const name of ["constructor", "__proto__"]) {
    expect(await slipway(["contexts", "use", name], { cwd, env })).toMatchObject({ code: 4 });
    expect(await slipway(["whoami", "--context", name], { cwd, env })).toMatchObject({ code: 2 });
  }
});

test("a service that nobody trusts yet orders the terminal nothing by what it says at a login", async () => {
  const service = await new FakeService().listen();
  const orders = "\x1b]52;c;aGk=\x07\x9b2J\u202e";
  service.answer("POST /api/v1/auth/device", {
    ...{ device_code: "d", user_code: orders, verification_uri: service.url, expires_in: 1, interval: 0 },
    verification_uri_complete: `${service.url}/${orders}`,
  });
  const refused = { status: 400, body: problem(400, "expired_token", `Too late.${orders}`) };
  service.answer("POST /api/v1/auth/device/token", () => refused);
  const cwd = await folderWith({});
  const env = { ...unsetEnv, SLIPWAY_CONTEXTS: join(cwd, "c.json") };
  const { code, out, err } = await slipwayProcess(["login", service.url, "--web"], { cwd, env });
  expect({ code, out }).toEqual({ code: 3, out: "" });
  expect(err).toMatch(/^Open http.*\nand let .*\nslipway: Too late\..*\n$/);
  expect(err.replaceAll("\n", "")).not.toMatch(/[\0-\x1f\x7f-\x9f\u202e]/);
});
