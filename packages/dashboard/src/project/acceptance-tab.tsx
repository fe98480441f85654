import { describeMeasured, type ReportedLine } from "@slipway/contract";
import { Prose } from "../parts/prose.tsx";
import { SomeOf } from "../parts/some-of.tsx";
import { Counts, VerdictChip } from "../parts/status.tsx";
import { Ago } from "../parts/time.tsx";
import { Link } from "../routing/router.tsx";
import { artifactHref } from "./artifact-path.ts";
import { useAcceptance, useDocumentLines } from "./project-data.ts";

/** Every line that the document promises, with its verdict and what shows it. */
export function AcceptanceTab({ id }: { readonly id: string }) {
  const { data: report } = useAcceptance(id);
  const { data: document = [] } = useDocumentLines(id);
  if (report === undefined) return <p class="faint">Loading…</p>;
  if (report.lines.length === 0) return <p class="faint">The document promises nothing that could be checked.</p>;
  return (
    <section aria-label="Acceptance report">
      <p class="facts-line">
        <Counts checks={report.counts} />
        {report.checked_at !== null && (
          <span class="faint">
            checked <Ago at={report.checked_at} />, commit <code>{report.commit?.slice(0, 10)}</code>
          </span>
        )}
      </p>
      <SomeOf items={report.lines}>
        {(lines) => (
          <ul class="report">
            {lines.map((line) => (
              <Line
                key={line.pointer}
                id={id}
                line={line}
                text={line.line === null ? "" : (document[line.line - 1] ?? "")}
              />
            ))}
          </ul>
        )}
      </SomeOf>
      {report.unmet.length > 0 && (
        <>
          <h2>Asked for, but not built</h2>
          <SomeOf items={report.unmet}>
            {(some) => (
              <ul>
                {some.map((unmet) => (
                  <li key={unmet.pointer}>
                    <code>{unmet.pointer}</code> {unmet.reason}
                  </li>
                ))}
              </ul>
            )}
          </SomeOf>
        </>
      )}
    </section>
  );
}

function Line({ id, line, text }: { readonly id: string; readonly line: ReportedLine; readonly text: string }) {
  const { title, verdict, reason, evidence, measured, previous, answered_by } = line;
  const hasChanged = previous !== null && previous !== verdict;
  return (
    <li class={`report-line report-${verdict}`}>
      <div class="report-source">
        {line.line === null ? (
          <span class="faint">a default</span>
        ) : (
          <Link class="source-line" href={`/projects/${id}?tab=document&line=${line.line}`}>
            <span class="line-number">{line.line}</span>
            <code>{text.trim()}</code>
          </Link>
        )}
      </div>
      <div>
        <p class="report-title">
          <VerdictChip verdict={verdict} />{" "}
          <strong>
            <Prose text={title} />
          </strong>
          {hasChanged && <span class="faint"> (before: {previous.replace("_", " ")})</span>}
        </p>
        <p>{reason}</p>
        {measured.map((value) => (
          <p key={value.name} class="faint">
            {describeMeasured(value)}
          </p>
        ))}
        {answered_by !== null && answered_by.by !== "service" && (
          <p class="faint">
            By {answered_by.by} {answered_by.name}
          </p>
        )}
        {evidence.map((path) => (
          <Link key={path} class="evidence" href={artifactHref(id, path)}>
            {path}
          </Link>
        ))}
      </div>
    </li>
  );
}
