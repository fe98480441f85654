import { useState } from "preact/hooks";
import { client } from "../data/client.ts";
import { AskButton } from "../parts/ask-button.tsx";

/** Runs a task of a failed project again, alone or with everything that follows from it. */
export function RetryButton({ id, taskId }: { readonly id: string; readonly taskId: string }) {
  const [downstream, setDownstream] = useState(false);
  const body = { task_id: taskId, downstream };
  return (
    <AskButton
      label="Retry task"
      title="Retry this task?"
      action="Retry"
      act={() => client.call("retryTask", { params: { project_id: id }, body })}
      outdates={`project/${id}`}
    >
      <p>
        The task <code>{taskId}</code> runs again.
      </p>
      <label class="check">
        <input type="checkbox" checked={downstream} onChange={(event) => setDownstream(event.currentTarget.checked)} />
        Also run every task again that depends on it
      </label>
    </AskButton>
  );
}
