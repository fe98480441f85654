import { expect, test } from "vitest";
import { openEventStream } from "../../support/event-stream.ts";
import { createTestApp } from "../../support/test-app.ts";
import { startReceiver } from "../../support/webhooks/receiver.ts";

const { http, call, adminToken, userToken } = await createTestApp({ allowLocalWebhooks: true, engine: { agents: [] } });
const address = await http.listen({ host: "127.0.0.1", port: 0 });
const receiver = await startReceiver();

test("a stream of deliveries says when to read them again, to whoever may read them", async () => {
  const payload = { url: `${receiver.url}/hook`, events: ["*"], secret: "at-least-sixteen-characters" };
  const made = await call({ method: "POST", url: "/api/v1/webhooks", payload });
  const path = `/api/v1/webhooks/${made.json<{ webhook_id: string }>().webhook_id}`;
  const open = (token: string) => openEventStream(`${address}${path}/deliveries`, { authorization: `Bearer ${token}` });
  const stream = await open(adminToken);
  expect((await stream.next()).event).toBe("changed");
  await call({ method: "POST", url: `${path}/test` });
  expect((await stream.next()).event).toBe("changed");
  const listed = (await call({ url: `${path}/deliveries` })).json<{ deliveries: { status: string }[] }>();
  expect(listed.deliveries).toMatchObject([{ status: "delivered" }]);
  expect((await open((await userToken("svc:user")).token)).response.status).toBe(404);
});
