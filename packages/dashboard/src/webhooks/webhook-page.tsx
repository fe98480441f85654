import { watchDeliveries } from "@slipway/client";
import type { Webhook } from "@slipway/contract";
import { useEffect, useState } from "preact/hooks";
import { client, explain } from "../data/client.ts";
import { followStream } from "../data/follow-stream.ts";
import { outdate, useQuery } from "../data/query-cache.ts";
import { throttled } from "../data/throttle.ts";
import { ActButton } from "../parts/act-button.tsx";
import { AskButton } from "../parts/ask-button.tsx";
import { ShownOnce } from "../parts/shown-once.tsx";
import { useTitle } from "../parts/use-title.ts";
import { Link, navigate } from "../routing/router.tsx";
import { Deliveries } from "./deliveries.tsx";
import { ReplayButton } from "./replay-button.tsx";
import { eventsOf, WebhookChip, WebhookHealth } from "./webhook-health.tsx";

/** One webhook: its health, what it was sent and what came back. */
export function WebhookPage({ id }: { readonly id: string }) {
  useTitle("Webhook");
  useEffect(() => {
    // A busy webhook changes all the time: each change reads the list.
    const outdateAll = throttled((prefix) => outdate(prefix), 1_500);
    return followStream(
      (options) => watchDeliveries(client, id, options),
      () => outdateAll(`webhooks/${id}`),
    );
  }, [id]);
  const { data: webhook, error } = useQuery(`webhooks/${id}`, () =>
    client.call("readWebhook", { params: { webhook_id: id } }),
  );
  if (webhook === undefined) return <p class="center">{error === undefined ? "Loading…" : explain(error)}</p>;
  return (
    <div class="page">
      <p class="crumbs">
        <Link href="/webhooks">Webhooks</Link> / <span class="ellipsis">{id}</span>
      </p>
      <div class="title">
        <h1>{webhook.url}</h1>
        <WebhookChip status={webhook.status} />
        <Commands webhook={webhook} />
      </div>
      <p class="facts-line">
        <WebhookHealth webhook={webhook} />
        <span>{webhook.pending} waiting</span>
        <span class="faint">{eventsOf(webhook)}</span>
        <span class="faint">{webhook.description}</span>
      </p>
      <Deliveries id={id} />
    </div>
  );
}

function Commands({ webhook }: { readonly webhook: Webhook }) {
  const { webhook_id, status } = webhook;
  const at = { params: { webhook_id } };
  const outdates = `webhooks/${webhook_id}`;
  const [secret, setSecret] = useState<string | null>(null);
  const set = (wanted: "active" | "disabled") => client.call("changeWebhook", { ...at, body: { status: wanted } });
  const rotate = async () => setSecret((await client.call("rotateWebhookSecret", { ...at, body: {} })).secret);
  const remove = async () => {
    await client.call("deleteWebhook", at);
    outdate("webhooks/list");
    navigate("/webhooks");
  };
  return (
    <>
      <div class="buttons">
        <ActButton label="Test" act={() => client.call("testWebhook", at)} outdates={outdates} />
        <ReplayButton id={webhook_id} />
        {status === "active" ? (
          <ActButton label="Disable" act={() => set("disabled")} outdates={outdates} />
        ) : (
          <ActButton label="Activate" act={() => set("active")} outdates={outdates} />
        )}
        <AskButton label="New secret…" title="Replace the secret?" action="Replace" act={rotate} outdates={outdates}>
          <p>For a day both secrets sign what is sent, so that the receiver can change over.</p>
        </AskButton>
        <AskButton
          label="Delete"
          title="Delete the webhook?"
          action="Delete it"
          isDangerous
          act={remove}
          outdates={outdates}
        >
          <p>Waiting deliveries go with it.</p>
        </AskButton>
      </div>
      {secret !== null && <ShownOnce value={secret} what="The new secret." />}
    </>
  );
}
