import type { Delivery, Webhook } from "@slipway/contract";
import { appendEvent } from "../../../src/engine/events/index.ts";
import { notifyOf } from "../change-project.ts";
import type { TestApp } from "../test-app.ts";
import type { Received } from "./receiver.ts";

export const secret = "whsec_c2xpcHdheS1leGFtcGxlLXNlY3JldC0x";

/** Registers a webhook. */
export async function register(
  { call }: Pick<TestApp, "call">,
  asked: { url: string } & Record<string, unknown>,
  token?: string,
): Promise<Webhook> {
  const payload = { events: ["*"], secret, ...asked };
  const answer = await call({
    method: "POST",
    url: "/api/v1/webhooks",
    payload,
    ...(token !== undefined && { token }),
  });
  if (answer.statusCode !== 201) throw new Error(`No webhook was made: ${answer.payload}`);
  return answer.json<Webhook>();
}

export async function readWebhook({ call }: Pick<TestApp, "call">, id: string): Promise<Webhook> {
  return (await call({ url: `/api/v1/webhooks/${id}` })).json<Webhook>();
}

export async function changeWebhook({ call }: Pick<TestApp, "call">, id: string, payload: object): Promise<Webhook> {
  return (await call({ method: "PATCH", url: `/api/v1/webhooks/${id}`, payload })).json<Webhook>();
}

/** Its deliveries, the newest first. */
export async function deliveriesOf({ call }: Pick<TestApp, "call">, id: string, query = ""): Promise<Delivery[]> {
  const answer = await call({ url: `/api/v1/webhooks/${id}/deliveries?limit=100${query}` });
  return answer.json<{ deliveries: Delivery[] }>().deliveries;
}

/** The event that `emit` makes: one that no project brings about by itself. */
export const emitted = "security.issue_detected";

/** Lets something happen to a project, so many times; each event tells its number as a line. */
export async function emit({ db, clock }: Pick<TestApp, "db" | "clock">, projectId: string, count = 1, from = 1) {
  for (let line = from; line < from + count; line += 1) {
    const issue = { rule_id: "r", severity: "note", path: "a.ts", line, message: "Odd.", remedy: "Mend it." };
    await db.transaction().execute((trx) => appendEvent(trx, clock, projectId, emitted, issue));
  }
  await notifyOf(db, projectId);
}

/** The lines that events told, in the order in which they came. */
export function linesOf(received: readonly Received[]): number[] {
  return received.map(({ body }) => Number(body.data["line"]));
}
