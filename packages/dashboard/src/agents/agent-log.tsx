import type { AgentLog as Log } from "@slipway/contract";
import { useLayoutEffect, useRef } from "preact/hooks";
import { AnsiText } from "../parts/ansi-text.tsx";
import { Link } from "../routing/router.tsx";

/** The last words of an agent about its task, as it says them. */
export function AgentLog({ log: { project_id, task_id, lines } }: { readonly log: Log }) {
  const box = useRef<HTMLPreElement>(null);
  useLayoutEffect(() => {
    box.current!.scrollTop = box.current!.scrollHeight;
  }, [lines]);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by the keyboard */}
      <pre class="agent-log" tabIndex={0} ref={box}>
        {lines.map(({ text }, index) => (
          <div key={index}>
            <AnsiText line={text} />
          </div>
        ))}
      </pre>
      <Link href={`/projects/${project_id}?tab=logs&task=${encodeURIComponent(task_id)}`}>Follow its log</Link>
    </>
  );
}
