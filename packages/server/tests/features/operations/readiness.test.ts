import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cannotFillDisk, mountOver } from "../../support/small-disk.ts";
import { createTestApp } from "../../support/test-app.ts";

const { call, dataFolder } = await createTestApp();
const ready = async () => (await call({ url: "/readyz", token: null })).statusCode;

test.skipIf(cannotFillDisk)("a service whose disk is full is not ready until there is room again", async () => {
  expect(await ready()).toBe(200);
  mountOver(dataFolder, "1m");
  mkdirSync(join(dataFolder, "artifacts"));
  const filler = join(dataFolder, "filler");
  expect(() => writeFileSync(filler, Buffer.alloc(2 * 1024 * 1024))).toThrow("ENOSPC");
  await expect.poll(ready).toBe(503);
  const refused = await call({ url: "/readyz", token: null });
  expect(refused.headers["retry-after"]).toBe("5");
  expect(refused.json()).toMatchObject({
    ...{ status: 503, code: "storage_unavailable" },
    detail: "The service cannot store files: the disk is full.",
  });
  expect(refused.payload).not.toContain(dataFolder);
  expect((await call({ url: "/healthz", token: null })).statusCode).toBe(200);
  rmSync(filler);
  await expect.poll(ready).toBe(200);
  expect(readdirSync(dataFolder)).toEqual(["artifacts"]);
});

test("asking often writes seldom", async () => {
  const answers = await Promise.all(Array.from({ length: 50 }, ready));
  expect(new Set(answers)).toEqual(new Set([200]));
});
