import { explain } from "../data/client.ts";
import { Table } from "../parts/listing.tsx";
import { SomeOf } from "../parts/some-of.tsx";
import { Chip } from "../parts/status.tsx";
import { Link } from "../routing/router.tsx";
import { artifactHref } from "./artifact-path.ts";
import { useArtifacts, useReportText } from "./project-data.ts";
import { type Finding, readFindings } from "./security-findings.ts";

const tones = { error: "bad", warning: "wait", note: "idle", none: "idle" } as const;

/** What the security scan found, the worst first, and what people have accepted. */
export function SecurityTab({ id }: { readonly id: string }) {
  const { data: artifacts } = useArtifacts(id);
  const path = artifacts?.find(({ type }) => type === "security_scan")?.path;
  const { data: sarif, error } = useReportText(id, path);
  if (artifacts === undefined) return <p class="faint">Loading…</p>;
  if (path === undefined) return <p class="faint">Nothing was scanned yet.</p>;
  if (sarif === undefined) return <p class="faint">{error === undefined ? "Loading…" : explain(error)}</p>;
  const findings = readFindings(sarif);
  if (findings === undefined) return <p class="error">The report cannot be read: {path}</p>;
  if (findings.length === 0)
    return (
      <p>
        <Chip tone="good">No findings</Chip> The scan of the last verification found nothing.
      </p>
    );
  return (
    <SomeOf items={findings}>
      {(some) => (
        <Table label="Security findings" head={["Level", "Finding", "Where", "Rule"]}>
          {some.map((finding, index) => (
            <Row key={index} id={id} finding={finding} />
          ))}
        </Table>
      )}
    </SomeOf>
  );
}

function Row({ id, finding }: { readonly id: string; readonly finding: Finding }) {
  const { level, message, path, line, rule, isWaived } = finding;
  return (
    <tr>
      <td>
        <Chip tone={isWaived ? "idle" : tones[level]}>{isWaived ? "accepted" : level}</Chip>
      </td>
      <td class="wide">{message}</td>
      <td class="wide">
        {path !== "" && (
          <Link href={artifactHref(id, `source/${path}`)}>
            {path}
            {line > 0 ? `:${line}` : ""}
          </Link>
        )}
      </td>
      <td>
        <code>{rule}</code>
      </td>
    </tr>
  );
}
