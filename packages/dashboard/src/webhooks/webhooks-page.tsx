import { client } from "../data/client.ts";
import { useList } from "../data/use-list.ts";
import { Listing, Table } from "../parts/listing.tsx";
import { useTitle } from "../parts/use-title.ts";
import { Link } from "../routing/router.tsx";
import { CreateWebhook } from "./create-webhook.tsx";
import { eventsOf, WebhookChip, WebhookHealth } from "./webhook-health.tsx";

/** Every webhook and how its deliveries fare. */
export function WebhooksPage() {
  useTitle("Webhooks");
  const list = useList("webhooks/list", async (page) => {
    const { webhooks, next_cursor } = await client.call("listWebhooks", { query: page });
    return { items: webhooks, next: next_cursor };
  });
  return (
    <div class="page">
      <div class="title">
        <h1>Webhooks</h1>
        <div class="buttons">
          <CreateWebhook />
        </div>
      </div>
      <Listing list={list} empty={<p>No webhooks. One tells another program of every event, as it happens.</p>}>
        <Table label="Webhooks" head={["Address", "Status", "Events", "Waiting", "Health"]} numbers={["Waiting"]}>
          {list.items.map((webhook) => (
            <tr key={webhook.webhook_id}>
              <td class="wide">
                <Link href={`/webhooks/${webhook.webhook_id}`}>{webhook.url}</Link>
                <p class="faint">{webhook.description}</p>
              </td>
              <td>
                <WebhookChip status={webhook.status} />
              </td>
              <td class="wide">{eventsOf(webhook)}</td>
              <td class="number">{webhook.pending}</td>
              <td>
                <WebhookHealth webhook={webhook} />
              </td>
            </tr>
          ))}
        </Table>
      </Listing>
    </div>
  );
}
