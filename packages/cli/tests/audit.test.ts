import type { AuditEntry } from "@slipway/contract";
import { expect, test } from "vitest";
import { createTestApp } from "../../server/tests/support/test-app.ts";
import { slipway } from "./run-slipway.ts";

const app = await createTestApp({});
const url = await app.http.listen({ host: "127.0.0.1", port: 0 });
const env = { SLIPWAY_URL: url, SLIPWAY_TOKEN: app.adminToken };
for (const name of ["ada", "bob", "cleo"])
  await app.call({ method: "POST", url: "/api/v1/users", payload: { name, role: "svc:user" } });

test("list shows what was changed by whom, and export prints all of it as JSON lines", async () => {
  const { code, out } = await slipway(["audit", "list", "--action", "user.*", "--limit", "2"], { env });
  expect(code).toBe(0);
  expect(out).toMatch(/^AT +BY +ACTION +TARGET +FROM\n.+ user\.create +usr_\w+ +127\.0\.0\.1\n/);
  const { out: lines } = await slipway(["audit", "export", "--action", "user.create"], { env });
  const entries = lines
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as AuditEntry);
  expect(entries.map(({ action }) => action)).toEqual(["user.create", "user.create", "user.create"]);
});

test("verify notices what was changed, and with the end of an earlier check also what was cut off", async () => {
  const intact = await slipway(["audit", "verify"], { env });
  expect(intact).toMatchObject({ code: 0, out: expect.stringMatching(/^The audit log is intact: \d+ entries\.\n/) });
  const [, end = ""] = /--expect (\d+:[0-9a-f]{64})\n/.exec(intact.out) ?? [];
  expect(await slipway(["audit", "verify", "--expect", end], { env })).toMatchObject({ code: 0 });

  const [position] = end.split(":").map(Number);
  const [last] = await app.db.deleteFrom("audit").where("position", "=", position!).returningAll().execute();
  expect(await slipway(["audit", "verify"], { env })).toMatchObject({ code: 0 });
  const cut = await slipway(["audit", "verify", "--expect", end], { env });
  expect(cut).toMatchObject({ code: 1, out: expect.stringContaining("its end was cut off") });

  await app.db
    .insertInto("audit")
    .values({ ...last!, detail: "{}", target: "another" })
    .execute();
  const changed = await slipway(["audit", "verify", "--json"], { env });
  expect(changed.code).toBe(1);
  expect(JSON.parse(changed.out)).toMatchObject({ is_intact: false, problem: expect.stringContaining(`${position}`) });
});

test("verify refuses an end that is none", async () => {
  const { code, err } = await slipway(["audit", "verify", "--expect", "nonsense"], { env });
  expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining("--expect must be") });
});
