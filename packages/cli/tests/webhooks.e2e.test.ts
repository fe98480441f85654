// @module-tag long
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { verifyWebhook, verifyWebhookBody } from "@slipway/client";
import type { Delivery, Webhook } from "@slipway/contract";
import { expect, onTestFinished, test } from "vitest";
import { folderWith, helloDocument, launcher, slipway, unsetEnv } from "./run-slipway.ts";
import { serveReceiver } from "./serve-receiver.ts";

test("the real service: a webhook is registered, tried, told of a project, looked into and replayed; listen sees the same", async () => {
  const folder = await folderWith({ "hello.yaml": helloDocument });
  const service = start(folder, unsetEnv, ["serve", "--port", "0", "--allow-local-webhooks"]);
  await expect.poll(() => service.out).toMatch(/ready at \S+\n/);
  const [, url] = /ready at (\S+)\n/.exec(service.out)!;
  const token = (await readFile(join(folder, ".slipway/admin-token"), "utf8")).trim();
  const env = { ...unsetEnv, SLIPWAY_URL: url, SLIPWAY_TOKEN: token };
  const call = async <T>(...args: string[]): Promise<T> => {
    const { code, out, err } = await slipway([...args, "--json"], { cwd: folder, env });
    expect([code, err]).toEqual([0, ""]);
    return JSON.parse(out) as T;
  };
  let secret = "";
  const receiver = await serveReceiver(async ({ headers, body }) => {
    await verifyWebhookBody(secret, body);
    await verifyWebhook(secret, headers, body);
    return 204;
  });
  const webhook = await call<Webhook & { secret: string }>("webhooks", "create", receiver.url, "--events", "*");
  ({ secret } = webhook);
  expect(await call("webhooks", "test", webhook.webhook_id)).toMatchObject({
    status: "delivered",
    event: "webhook.test",
  });
  const listening = start(folder, env, ["webhooks", "listen"]);
  await expect.poll(() => listening.err).toContain("Deliveries are signed with whsec_");
  // Nobody can build it: it fails at once, which is told, too.
  await slipway(["run", "hello.yaml", "--exit-when-done"], { cwd: folder, env });
  const told = () => receiver.received.map(({ headers }) => headers["webhook-sequence"]);
  await expect.poll(told).toEqual(expect.arrayContaining([undefined, "1", "2", "3"]));
  await expect.poll(() => listening.out).toContain("project.failed");
  expect(
    listening.out
      .trim()
      .split("\n")
      .filter((line) => !line.endsWith(" verified")),
  ).toEqual([]);

  const ofProject = ["--event", "project.failed", "--status", "delivered"];
  const listed = () => call<{ deliveries: Delivery[] }>("webhooks", "deliveries", webhook.webhook_id, ...ofProject);
  await expect.poll(async () => (await listed()).deliveries).toHaveLength(1);
  const [{ delivery_id, project_id } = {} as Delivery] = (await listed()).deliveries;
  const shown = await slipway(["webhooks", "delivery", delivery_id], { cwd: folder, env });
  expect(shown.out).toMatch(/ATTEMPT 1 .* answered 204 after \d+ ms/);
  const replay = ["webhooks", "replay", webhook.webhook_id, "--project", project_id, "--sequence", "1-2"];
  expect(await call(...replay, "--dry-run")).toMatchObject({ count: 2, dry_run: true });
  const before = receiver.received.length;
  expect(await call(...replay)).toMatchObject({ count: 2 });
  await call("webhooks", "redeliver", delivery_id);
  await expect.poll(() => receiver.received.length).toBe(before + 3);
  await call("webhooks", "delete", webhook.webhook_id);
  const gone = await slipway(["webhooks", "show", webhook.webhook_id], { cwd: folder, env });
  expect(gone.code).toBe(4);
  listening.child.kill("SIGINT");
  expect(await listening.ended).toBe(130);
  service.child.kill("SIGTERM");
  expect(await service.ended).toBe(0);
});

/** Starts the command in a folder; what it prints is collected, and it ends with the test. */
function start(cwd: string, env: NodeJS.ProcessEnv, args: readonly string[]) {
  const child = spawn(process.execPath, [launcher, ...args], { cwd, env: { ...process.env, ...env, NO_COLOR: "1" } });
  const run = { child, ended: once(child, "close").then(([code]) => code as number | null), out: "", err: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    run.out += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    run.err += text;
  });
  onTestFinished(async () => {
    if (child.exitCode === null) child.kill("SIGTERM");
    await run.ended;
  });
  return run;
}
