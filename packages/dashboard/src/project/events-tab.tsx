import { watchEvents } from "@slipway/client";
import type { EventRecord } from "@slipway/contract";
import { client } from "../data/client.ts";
import { useGathered } from "../data/gather.ts";
import { Ago } from "../parts/time.tsx";
import { VirtualList } from "../parts/virtual-list.tsx";
import { Link, setQuery, useAddress } from "../routing/router.tsx";

/** The project's history, newest first, as it is written; one event whole, by its address. */
export function EventsTab({ id }: { readonly id: string }) {
  const { items, isLoaded } = useGathered(id, (signal) => open(id, signal));
  const wanted = Number(useAddress().searchParams.get("event"));
  if (!isLoaded || items.length === 0) return <p class="faint">Loading…</p>;
  const shown = items.find(({ sequence }) => sequence === wanted);
  return (
    <>
      {shown !== undefined && <Whole event={shown} />}
      <VirtualList
        class="events"
        label="Events, newest first"
        count={items.length}
        rowHeight={34}
        row={(index) => <Row id={id} event={items.at(-1 - index)!} wanted={wanted} />}
      />
    </>
  );
}

async function* open(id: string, signal: AbortSignal): AsyncGenerator<readonly EventRecord[]> {
  for await (const event of watchEvents(client, id, { signal, patienceMs: Number.POSITIVE_INFINITY })) yield [event];
}

function Whole({ event }: { readonly event: EventRecord }) {
  return (
    <section class="panel" aria-label={`Event ${event.sequence}`}>
      <div class="title">
        <h2>{event.event}</h2>
        <div class="buttons">
          <button type="button" class="plain" aria-label="Close the event" onClick={() => setQuery({ event: "" })}>
            ✕
          </button>
        </div>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by the keyboard */}
      <pre class="event-data" tabIndex={0}>
        {JSON.stringify(event, null, 2)}
      </pre>
    </section>
  );
}

interface RowProps {
  readonly id: string;
  readonly event: EventRecord;
  readonly wanted: number;
}

function Row({ id, event: { sequence, event, timestamp, data }, wanted }: RowProps) {
  return (
    <Link
      class={sequence === wanted ? "event is-wanted" : "event"}
      href={`/projects/${id}?tab=events&event=${sequence}`}
    >
      <span class="faint line-number">{sequence}</span>
      <span class="event-age faint">
        <Ago at={timestamp} />
      </span>
      <strong>{event}</strong>
      <code class="faint ellipsis">{JSON.stringify(data)}</code>
    </Link>
  );
}
