import type { Delivery } from "@slipway/contract";
import type { TestApp } from "../test-app.ts";
import type { Receiver } from "./receiver.ts";
import { register, secret } from "./stage.ts";

interface Prepared {
  readonly param?: string;
  readonly search?: string;
  readonly payload?: object;
}

/** A webhook that can be registered. */
export function newWebhook({ url }: Pick<Receiver, "url">) {
  return { url, events: ["webhook.test"], secret };
}

/** How each endpoint about webhooks is called so that it succeeds; `param` is the id in its path. */
export function webhookCalls(
  service: TestApp,
  receiver: Pick<Receiver, "url">,
): Readonly<Record<string, () => Promise<Prepared>>> {
  const webhook = async () => (await register(service, newWebhook(receiver))).webhook_id;
  const delivery = async () => {
    const id = await webhook();
    const tried = await service.call({ method: "POST", url: `/api/v1/webhooks/${id}/test` });
    return tried.json<Delivery>().delivery_id;
  };
  return {
    createWebhook: async () => ({ payload: newWebhook(receiver) }),
    listWebhooks: async () => ({ param: await webhook() }),
    streamWebhook: async () => ({ search: "?events=project.created" }),
    readWebhook: async () => ({ param: await webhook() }),
    changeWebhook: async () => ({ param: await webhook(), payload: { status: "disabled", description: "rests" } }),
    deleteWebhook: async () => ({ param: await webhook() }),
    testWebhook: async () => ({ param: await webhook() }),
    rotateWebhookSecret: async () => ({ param: await webhook(), payload: { overlap_seconds: 5 } }),
    listDeliveries: async () => ({ param: await webhook(), search: "?status=delivered" }),
    replayDeliveries: async () => ({ param: await webhook(), payload: { since: "2026-01-01T00:00:00Z" } }),
    readDelivery: async () => ({ param: await delivery() }),
    redeliver: async () => ({ param: await delivery() }),
  };
}
