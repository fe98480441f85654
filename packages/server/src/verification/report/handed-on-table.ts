import type { AcceptanceReport } from "@slipway/contract";
import { describeUsage } from "./describe-usage.ts";
import { escapeHtml } from "./escape-html.ts";

/** What was left to other agents because no rule builds it, as a table; nothing if there is none. */
export function handedOnTable({ handed_on }: AcceptanceReport): string {
  if (handed_on.length === 0) return "";
  const rows = handed_on.map(({ pointer, line, task, agent_id, usage }) => {
    const cells = [
      pointer,
      String(line ?? "–"),
      task,
      agent_id ?? "nobody",
      usage === null ? "unknown" : describeUsage(usage),
    ];
    return `<tr>${cells.map((cell) => `<td>${escapeHtml(cell)}</td>`).join("")}</tr>`;
  });
  return `
<h2>Left to other agents</h2>
<table>
<thead><tr><th>Part of the document</th><th>Line</th><th>Task</th><th>Agent</th><th>Used</th></tr></thead>
<tbody>
${rows.join("\n")}
</tbody>
</table>`;
}
