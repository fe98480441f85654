import { useState } from "preact/hooks";
import { client } from "../data/client.ts";
import { useQuery } from "../data/query-cache.ts";
import { AskButton } from "../parts/ask-button.tsx";

const spans = { "3600000": "the last hour", "86400000": "the last day", "604800000": "the last week" } as const;

/** Sends the events of a while again; says first how many that are. */
export function ReplayButton({ id }: { readonly id: string }) {
  const [span, setSpan] = useState<keyof typeof spans>("3600000");
  const replay = (dry_run: boolean) => {
    const since = new Date(Date.now() - Number(span)).toISOString();
    return client.call("replayDeliveries", { params: { webhook_id: id }, body: { since, dry_run } });
  };
  return (
    <AskButton
      label="Replay…"
      title="Send events again?"
      action="Send them again"
      act={() => replay(false)}
      outdates={`webhooks/${id}`}
    >
      <label>
        Events of
        <select value={span} onChange={(event) => setSpan(event.currentTarget.value as keyof typeof spans)}>
          {Object.entries(spans).map(([ms, words]) => (
            <option key={ms} value={ms}>
              {words}
            </option>
          ))}
        </select>
      </label>
      <Preview key={span} id={`${id}/${span}`} count={async () => (await replay(true)).count} />
      <p class="faint">They keep their ids, by which receivers know repeats.</p>
    </AskButton>
  );
}

function Preview({ id, count }: { readonly id: string; readonly count: () => Promise<number> }) {
  const { data } = useQuery(`replay/${id}`, count);
  return <p role="status">{data === undefined ? "Counting…" : `${data} events would be sent.`}</p>;
}
