import type { AgentLog as Log } from "@slipway/contract";
import { LogTail } from "../parts/log-tail.tsx";
import { Link } from "../routing/router.tsx";

/** The last words of an agent about its task, as it says them. */
export function AgentLog({ log: { project_id, task_id, lines } }: { readonly log: Log }) {
  return (
    <>
      <LogTail class="agent-log" lines={lines} />
      <Link href={`/projects/${project_id}?tab=logs&task=${encodeURIComponent(task_id)}`}>Follow its log</Link>
    </>
  );
}
