import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { until } from "../database/until.ts";
import { createProject, createTestApp } from "../test-app.ts";
import { startReceiver } from "./receiver.ts";
import { deliveriesOf, emit, register, secret } from "./stage.ts";

const service = await createTestApp({ engine: { agents: [] }, webhooks: { scaleDelay: (ms) => ms / 1000 } });
const { call } = service;
const receiver = await startReceiver();

test("what happens to a project arrives once, in order, signed, with a gapless sequence, and is logged", async () => {
  const { webhook_id } = await register(service, { url: `${receiver.url}/first`, events: ["project.started"] });
  const projectId = await createProject(service);
  await emit(service, projectId, 5);
  const mine = () => receiver.received.filter(({ path }) => path === "/first");
  await until(() => mine().length >= 5);
  expect(mine().map(({ sequence }) => sequence).toSorted()).toEqual([1, 2, 3, 4, 5]);
  for (const { text, headers, body } of mine()) {
    expect(Object.keys(body)).toEqual(["event", "timestamp", "project_id", "data", "signature"]);
    expect(body.project_id).toBe(projectId);
    const unsigned = `${text.slice(0, text.lastIndexOf(',"signature":'))}}`;
    expect(body.signature).toBe(`sha256=${createHmac("sha256", secret).update(unsigned).digest("hex")}`);
    expect(headers["webhook-attempt"]).toBe("1");
  }
  await until(async () => (await deliveriesOf(service, webhook_id, "&status=delivered")).length === 5);
  const [last] = await deliveriesOf(service, webhook_id);
  expect(last).toMatchObject({ status: "delivered", attempt_count: 1, sequence: 5, project_id: projectId });
  expect(last!.attempts).toMatchObject([{ number: 1, fault: null, error: null, response: { status: 204 } }]);
  expect(JSON.stringify(last)).not.toContain(secret);
  const read = await call({ url: `/api/v1/deliveries/${last!.delivery_id}` });
  expect(read.json()).toEqual(last);
});
