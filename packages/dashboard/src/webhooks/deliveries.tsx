import type { Delivery, DeliveryStatus } from "@slipway/contract";
import { client } from "../data/client.ts";
import { useQuery } from "../data/query-cache.ts";
import { useList } from "../data/use-list.ts";
import { ActButton } from "../parts/act-button.tsx";
import { Listing } from "../parts/listing.tsx";
import { Chip } from "../parts/status.tsx";
import { Ago } from "../parts/time.tsx";
import { Link, setQuery, useAddress } from "../routing/router.tsx";
import { AttemptView } from "./attempt-view.tsx";

const tones = { pending: "busy", delivered: "good", failed: "bad", withheld: "idle" } as const;
const statuses = Object.keys(tones) as DeliveryStatus[];

/** What a webhook was sent, newest first, each with its requests and responses. */
export function Deliveries({ id }: { readonly id: string }) {
  const { searchParams } = useAddress();
  const status = statuses.find((one) => one === searchParams.get("status"));
  const list = useList(`webhooks/${id}/deliveries/${status ?? ""}`, async (page) => {
    const query = { ...page, ...(status && { status }) };
    const answer = await client.call("listDeliveries", { params: { webhook_id: id }, query });
    return { items: answer.deliveries, next: answer.next_cursor };
  });
  const wanted = searchParams.get("delivery") ?? "";
  // A link may lead to one that is no longer among the newest.
  const isMissing = wanted !== "" && list.isLoaded && list.items.every(({ delivery_id }) => delivery_id !== wanted);
  const { data: older } = useQuery(isMissing ? `webhooks/${id}/delivery/${wanted}` : undefined, () =>
    client.call("readDelivery", { params: { delivery_id: wanted } }),
  );
  return (
    <section aria-label="Deliveries" class="deliveries">
      <div class="title">
        <h2>Deliveries</h2>
        <div class="filters">
          <select
            aria-label="Status"
            value={status ?? ""}
            onChange={(event) => setQuery({ status: event.currentTarget.value })}
          >
            <option value="">Every status</option>
            {statuses.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </div>
      </div>
      {isMissing && older !== undefined && <Item delivery={older} isOpen webhook={id} />}
      <Listing list={list} empty={<p>Nothing was sent yet.</p>}>
        {list.items.map((delivery) => (
          <Item key={delivery.delivery_id} delivery={delivery} isOpen={delivery.delivery_id === wanted} webhook={id} />
        ))}
      </Listing>
    </section>
  );
}

interface ItemProps {
  readonly delivery: Delivery;
  readonly isOpen: boolean;
  readonly webhook: string;
}

function Item({ delivery, isOpen, webhook }: ItemProps) {
  const { delivery_id, event, project_id, status, reason, attempts, attempt_count, created_at, next_attempt_at } =
    delivery;
  return (
    <details class="delivery" open={isOpen}>
      <summary>
        <Chip tone={tones[status]}>{status}</Chip> <strong>{event}</strong>{" "}
        <span class="faint">
          <Ago at={created_at} />, {attempt_count === 1 ? "1 attempt" : `${attempt_count} attempts`}
        </span>
      </summary>
      <p class="facts-line">
        {project_id !== "" && <Link href={`/projects/${project_id}?tab=events`}>Its project</Link>}
        <Link href={`/webhooks/${webhook}?delivery=${delivery_id}`}>Link to this delivery</Link>
        <ActButton
          label="Redeliver"
          act={() => client.call("redeliver", { params: { delivery_id } })}
          outdates={`webhooks/${webhook}`}
        />
        {next_attempt_at !== null && (
          <span>
            Tried again <Ago at={next_attempt_at} />
          </span>
        )}
      </p>
      {reason !== null && <p class="error">{reason}</p>}
      {attempts.map((attempt) => (
        <AttemptView key={attempt.number} attempt={attempt} />
      ))}
    </details>
  );
}
