import { type AcceptanceReport, describeMeasured, type ReportedLine } from "@slipway/contract";
import { describeUsage } from "./describe-usage.ts";
import { escapeHtml } from "./escape-html.ts";
import { handedOnTable } from "./handed-on-table.ts";

/** The report as a page that people read and print: no scripts, nothing loaded, every value escaped. */
export function acceptancePage(name: string, report: AcceptanceReport): string {
  const { counts, commit, checked_at, lines } = report;
  const summary = `${counts.passed} passed, ${counts.failed} failed, ${counts.not_checked} not checked, ${counts.waived} waived`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(name)}: acceptance</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; color: #1c2024; background: #fff; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; }
  h1 { font-size: 1.5rem; margin: 0; }
  h2 { font-size: 1.25rem; margin: 2rem 0 .5rem; }
  p { margin: .25rem 0 1.5rem; color: #555; }
  table { border-collapse: collapse; width: 100%; }
  th, td { text-align: left; vertical-align: top; padding: .5rem; border-top: 1px solid #ddd; overflow-wrap: anywhere; }
  th { font-weight: 600; }
  td small { color: #555; display: block; }
  .verdict { white-space: nowrap; font-weight: 600; }
  .passed .verdict { color: #18794e; } .failed .verdict { color: #b42318; }
  .not_checked .verdict, .waived .verdict { color: #8a5a00; }
  @media print { body { margin: 0; max-width: none; } tr { break-inside: avoid; } }
</style>
</head>
<body>
<h1>${escapeHtml(name)}</h1>
<p>${summary} · project ${escapeHtml(report.project_id)} · commit ${escapeHtml(commit?.slice(0, 12) ?? "none")} · ${escapeHtml(checked_at ?? "not checked yet")}</p>
<table>
<thead><tr><th>Verdict</th><th>Line</th><th>What the document promises, and what was found</th></tr></thead>
<tbody>
${lines.map(row).join("\n")}
</tbody>
</table>
${unmetPart(report)}${handedOnTable(report)}</body>
</html>
`;
}

function unmetPart({ unmet }: AcceptanceReport): string {
  if (unmet.length === 0) return "";
  return `<h2>Not used / not built</h2>
<table>
<thead><tr><th>Line</th><th>What the document says</th><th>Why it is not in the result</th></tr></thead>
<tbody>
${unmet.map(unmetRow).join("\n")}
</tbody>
</table>
`;
}

function unmetRow({ line, pointer, reason }: AcceptanceReport["unmet"][number]): string {
  return `<tr class="unmet"><td>${line ?? "–"}</td><td>${escapeHtml(pointer)}</td><td>${escapeHtml(reason)}</td></tr>`;
}

const marks = { passed: "✓ passed", failed: "✗ failed", not_checked: "? not checked", waived: "~ waived" } as const;

function row(reported: ReportedLine): string {
  const { verdict, line, pointer, title, reason, phase, evidence, tasks, previous, answered_by, measured, usage } =
    reported;
  const notes = [
    ...(answered_by === null || answered_by.by === "service" ? [] : [`answered by ${whoIs(answered_by)}`]),
    ...measured.filter(({ name }) => name !== "duration").map(describeMeasured),
    ...(phase === null ? [] : [`phase ${phase}`]),
    ...(tasks.length === 0 ? [] : [`by ${tasks.join(", ")}`]),
    ...(usage === null ? [] : [describeUsage(usage)]),
    ...(evidence.length === 0 ? [] : [`evidence: ${evidence.join(", ")}`]),
    ...(previous === null || previous === verdict ? [] : [`the run before: ${marks[previous]}`]),
  ];
  const place = `${line ?? "–"}<small>${escapeHtml(pointer)}</small>`;
  const found = `<small>${escapeHtml(reason)}</small><small>${escapeHtml(notes.join(" · "))}</small>`;
  return `<tr class="${verdict}"><td class="verdict">${marks[verdict]}</td><td>${place}</td><td>${escapeHtml(title)}${found}</td></tr>`;
}

function whoIs({ by, name, kind, id }: NonNullable<ReportedLine["answered_by"]>): string {
  const about = [kind, id].filter((part) => part !== null).join(", ");
  return `${by}${name === null ? "" : ` ${name}`}${about === "" ? "" : ` (${about})`}`;
}
