import type { Task, Usage } from "@slipway/contract";
import { Table } from "../parts/listing.tsx";
import { SomeOf } from "../parts/some-of.tsx";
import { Link } from "../routing/router.tsx";
import { useAgentNames, useTasks } from "./project-data.ts";
import { dollars, sumUsage } from "./usage.ts";

/** What the work used and cost: in all, by agent and by task. What nobody reported is unknown, never nothing. */
export function CostsTab({ id }: { readonly id: string }) {
  const { data: tasks } = useTasks(id);
  const names = useAgentNames();
  if (tasks === undefined) return <p class="faint">Loading…</p>;
  const attempts = tasks.flatMap((task) => task.attempts);
  const byAgent = Map.groupBy(attempts, ({ agent_id }) => agent_id);
  const all = sumUsage(attempts.map(({ usage }) => usage));
  const unreported = attempts.filter(({ usage }) => usage.cost_usd === null && usage.input_tokens === null).length;
  return (
    <>
      <p class="facts-line">
        <strong>Cost {dollars(all.cost_usd)}</strong>
        <span>Tokens {tokens(all)}</span>
        {unreported > 0 && (
          <span class="faint">
            {unreported} of {attempts.length} attempts reported nothing.
          </span>
        )}
      </p>
      <h2>By agent</h2>
      <Table
        label="Costs by agent"
        head={["Agent", "Attempts", "Tokens", "Cost"]}
        numbers={["Attempts", "Tokens", "Cost"]}
      >
        {[...byAgent].map(([agent, own]) => {
          const usage = sumUsage(own.map((one) => one.usage));
          return (
            <tr key={agent}>
              <td>{names(agent)}</td>
              <td class="number">{own.length}</td>
              <td class="number">{tokens(usage)}</td>
              <td class="number">{dollars(usage.cost_usd)}</td>
            </tr>
          );
        })}
      </Table>
      <h2>By task</h2>
      <SomeOf items={tasks}>
        {(some) => (
          <Table
            label="Costs by task"
            head={["Task", "Attempts", "Tokens", "Cost"]}
            numbers={["Attempts", "Tokens", "Cost"]}
          >
            {some.map((task) => (
              <TaskRow key={task.task_id} id={id} task={task} />
            ))}
          </Table>
        )}
      </SomeOf>
    </>
  );
}

function TaskRow({ id, task }: { readonly id: string; readonly task: Task }) {
  const usage = sumUsage(task.attempts.map((one) => one.usage));
  return (
    <tr>
      <td>
        <Link href={`/projects/${id}?task=${encodeURIComponent(task.task_id)}`}>{task.title}</Link>
      </td>
      <td class="number">{task.attempts.length}</td>
      <td class="number">{tokens(usage)}</td>
      <td class="number">{dollars(usage.cost_usd)}</td>
    </tr>
  );
}

function tokens({ input_tokens, output_tokens }: Usage): string {
  if (input_tokens === null && output_tokens === null) return "unknown";
  return `${(input_tokens ?? 0).toLocaleString()} in, ${(output_tokens ?? 0).toLocaleString()} out`;
}
