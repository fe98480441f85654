import { watchLogs } from "@slipway/client";
import { useMemo, useState } from "preact/hooks";
import { client } from "../data/client.ts";
import { useGathered } from "../data/gather.ts";
import { AnsiText } from "../parts/ansi-text.tsx";
import { VirtualList } from "../parts/virtual-list.tsx";
import { Link, setQuery, useAddress } from "../routing/router.tsx";
import { findLine, type LogLine, lineName } from "./log-lines.ts";
import { useLogSearch } from "./log-search.ts";

const tail = 10_000;
const sources = ["agent", "build", "test", "merge", "deploy", "app"];

/** What of the log somebody wants to see; it stands in the page's address. */
interface Wanted {
  readonly task: string;
  readonly source: string;
  readonly isWhole: boolean;
}

/** What agents and programs wrote: searched, followed, and linked to by the line. */
export function LogsTab({ id }: { readonly id: string }) {
  const { searchParams } = useAddress();
  const line = searchParams.get("line") ?? "";
  const wanted: Wanted = {
    task: searchParams.get("task") ?? "",
    source: searchParams.get("source") ?? "",
    isWhole: searchParams.get("from") === "start",
  };
  const key = `${id} ${wanted.task} ${wanted.source} ${wanted.isWhole}`;
  const { items: lines, isLoaded, version } = useGathered(key, (signal) => openLog(id, wanted, signal));
  const search = searchParams.get("q") ?? "";
  const [wantsEnd, setWantsEnd] = useState(true);
  // A line that somebody links to stays in view.
  const follows = wantsEnd && line === "";
  const { found, isSearching } = useLogSearch(lines, version, search);
  const count = found?.length ?? lines.length;
  const at = useMemo(() => (line === "" ? undefined : findLine(lines, line)), [lines, version, line]);
  const target = at === undefined ? undefined : found === undefined ? at : found.indexOf(at);
  const follow = (isWanted: boolean) => {
    setWantsEnd(isWanted);
    if (isWanted) setQuery({ line: "" });
  };
  return (
    <section aria-label="Logs">
      <div class="filters">
        <input
          type="search"
          aria-label="Search the log"
          placeholder="Search the log"
          value={search}
          onInput={(event) => setQuery({ q: event.currentTarget.value }, { replaces: true })}
        />
        <Choices wanted={wanted} />
        <label class="check">
          <input type="checkbox" checked={follows} onChange={(event) => follow(event.currentTarget.checked)} />
          Follow
        </label>
        <span class="faint" role="status">
          {found === undefined ? `${lines.length} lines` : `${count} of ${lines.length} lines`}
          {isSearching && ", searching…"}
        </span>
      </div>
      {line !== "" && at === undefined && isLoaded && !wanted.isWhole && (
        <p>
          The line is not among the last {lines.length}.{" "}
          <button type="button" class="plain" onClick={() => setQuery({ from: "start" })}>
            Look from the start
          </button>
        </p>
      )}
      {count === 0 ? (
        <p class="faint">{isLoaded ? "No lines." : "Loading…"}</p>
      ) : (
        <VirtualList
          class="log"
          label="Log lines"
          count={count}
          rowHeight={20}
          follows={follows}
          target={target}
          onScrolled={(isAtEnd) => !isAtEnd && setWantsEnd(false)}
          row={(row) => {
            const index = found?.[row] ?? row;
            return <Row id={id} lines={lines} index={index} wanted={wanted} search={search} isWanted={index === at} />;
          }}
        />
      )}
    </section>
  );
}

function Choices({ wanted: { task, source, isWhole } }: { readonly wanted: Wanted }) {
  return (
    <>
      <select
        aria-label="Source"
        value={source}
        onChange={(event) => setQuery({ source: event.currentTarget.value, line: "" })}
      >
        <option value="">Every source</option>
        {sources.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      {task !== "" && (
        <button type="button" class="plain" onClick={() => setQuery({ task: "" })}>
          Task {task} ✕
        </button>
      )}
      <label class="check">
        <input
          type="checkbox"
          checked={isWhole}
          onChange={(event) => setQuery({ from: event.currentTarget.checked ? "start" : "" })}
        />
        From the start
      </label>
    </>
  );
}

interface RowProps {
  readonly id: string;
  readonly lines: readonly LogLine[];
  readonly index: number;
  readonly wanted: Wanted;
  readonly search: string;
  readonly isWanted: boolean;
}

function Row({ id, lines, index, wanted, search, isWanted }: RowProps) {
  const { at, source, task_id, text } = lines[index]!;
  return (
    <div class={isWanted ? "log-line is-wanted" : "log-line"}>
      <Link
        class="log-time"
        href={`/projects/${id}?${queryOf(wanted, search)}&line=${encodeURIComponent(lineName(lines, index))}`}
        title={`${at}, ${source}, task ${task_id}`}
      >
        {at.slice(11, 19)}
      </Link>
      <code>
        <AnsiText line={text} />
      </code>
    </div>
  );
}

/** The same lines again: the place of a line is counted among those that are shown. */
function queryOf({ task, source, isWhole }: Wanted, search: string): string {
  const query = {
    tab: "logs",
    ...(task && { task }),
    ...(source && { source }),
    ...(isWhole && { from: "start" }),
    ...(search && { q: search }),
  };
  return new URLSearchParams(query).toString();
}

function openLog(
  id: string,
  { task, source, isWhole }: Wanted,
  signal: AbortSignal,
): AsyncIterable<readonly LogLine[]> {
  const query = { tail, ...(task !== "" && { task }), ...(source !== "" && { service: source }) };
  return watchLogs(client, id, { query, isWhole, signal, patienceMs: Number.POSITIVE_INFINITY });
}
