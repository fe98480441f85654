import { watchEvents } from "@slipway/client";
import type { EventRecord } from "@slipway/contract";
import { client } from "../data/client.ts";
import { useGathered } from "../data/gather.ts";
import { Ago } from "../parts/time.tsx";
import { VirtualList } from "../parts/virtual-list.tsx";

/** The project's history, newest first, as it is written. */
export function EventsTab({ id }: { readonly id: string }) {
  const { items, isLoaded } = useGathered(id, (signal) => open(id, signal));
  if (!isLoaded || items.length === 0) return <p class="faint">Loading…</p>;
  return (
    <VirtualList
      class="events"
      label="Events, newest first"
      count={items.length}
      rowHeight={34}
      row={(index) => <Row event={items.at(-1 - index)!} />}
    />
  );
}

async function* open(id: string, signal: AbortSignal): AsyncGenerator<readonly EventRecord[]> {
  for await (const event of watchEvents(client, id, { signal, patienceMs: Number.POSITIVE_INFINITY })) yield [event];
}

function Row({ event: { sequence, event, timestamp, data } }: { readonly event: EventRecord }) {
  return (
    <div class="event">
      <span class="faint line-number">{sequence}</span>
      <span class="event-age faint">
        <Ago at={timestamp} />
      </span>
      <strong>{event}</strong>
      <code class="faint ellipsis">{JSON.stringify(data)}</code>
    </div>
  );
}
