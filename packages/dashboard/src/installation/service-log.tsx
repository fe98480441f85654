import { client } from "../data/client.ts";
import { useQuery } from "../data/query-cache.ts";

const tail = 50;

/** The last lines of the log of the node that answers. */
export function ServiceLog() {
  const { data } = useQuery("installation/log", () => client.call("readServiceLog", { query: { tail } }));
  if (data === undefined) return <p class="faint">Loading…</p>;
  if (data.lines.length === 0) return <p class="faint">Nothing was logged yet.</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by the keyboard
    <pre tabIndex={0} class="log-tail">
      {data.lines.map(({ at, level, service, text }) => `${at} ${level} ${service}: ${text}\n`)}
    </pre>
  );
}
