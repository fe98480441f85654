import { client } from "../data/client.ts";
import { useQuery } from "../data/query-cache.ts";
import { AnsiText } from "../parts/ansi-text.tsx";
import { Link } from "../routing/router.tsx";

const tail = 6;

/** The last words of an agent about its task. */
export function AgentLog({ project, task }: { readonly project: string; readonly task: string }) {
  const { data } = useQuery(`agents/log/${project}/${task}`, () =>
    client.call("readLogs", { params: { project_id: project }, query: { task, tail } }),
  );
  if (data === undefined || data.lines.length === 0) return null;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by the keyboard */}
      <pre class="agent-log" tabIndex={0}>
        {data.lines.map(({ text }, index) => (
          <div key={index}>
            <AnsiText line={text} />
          </div>
        ))}
      </pre>
      <Link href={`/projects/${project}?tab=logs&task=${encodeURIComponent(task)}`}>Follow its log</Link>
    </>
  );
}
