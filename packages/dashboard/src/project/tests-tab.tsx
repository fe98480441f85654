import { Table } from "../parts/listing.tsx";
import { SomeOf } from "../parts/some-of.tsx";
import { Chip, type Tone } from "../parts/status.tsx";
import { Coverage } from "./coverage.tsx";
import { useArtifacts, useReportText } from "./project-data.ts";
import { readTests, type TestOutcome } from "./test-results.ts";

const tones: Readonly<Record<TestOutcome["outcome"], Tone>> = {
  passed: "good",
  failed: "bad",
  skipped: "idle",
  flaky: "wait",
};
const order: readonly TestOutcome["outcome"][] = ["failed", "flaky", "skipped", "passed"];

/** What the last verification's tests did, failures first, and what they cover. */
export function TestsTab({ id }: { readonly id: string }) {
  const { data: artifacts } = useArtifacts(id);
  const pathOf = (type: string) => artifacts?.find((one) => one.type === type)?.path;
  const { data: xml } = useReportText(id, pathOf("test_results"));
  const { data: coverage } = useReportText(id, pathOf("coverage"));
  if (artifacts === undefined) return <p class="faint">Loading…</p>;
  if (pathOf("test_results") === undefined) return <p class="faint">No tests have run yet, or the project has none.</p>;
  if (xml === undefined) return <p class="faint">Loading…</p>;
  const tests = readTests(xml).toSorted((a, b) => order.indexOf(a.outcome) - order.indexOf(b.outcome));
  return (
    <>
      <p class="facts-line">
        {order.map((outcome) => {
          const count = tests.filter((one) => one.outcome === outcome).length;
          return count > 0 ? (
            <Chip key={outcome} tone={tones[outcome]}>
              {`${count} ${outcome}`}
            </Chip>
          ) : null;
        })}
        {tests.length === 0 && <span class="faint">The runner reported no single tests.</span>}
      </p>
      {coverage !== undefined && <Coverage text={coverage} />}
      {tests.length > 0 && <SomeOf items={tests}>{(some) => <TestTable tests={some} />}</SomeOf>}
    </>
  );
}

function TestTable({ tests }: { readonly tests: readonly TestOutcome[] }) {
  return (
    <Table label="Tests" head={["Outcome", "Test", "File", "Time"]} numbers={["Time"]}>
      {tests.map(({ file, name, seconds, outcome, message }, index) => (
        <tr key={index}>
          <td>
            <Chip tone={tones[outcome]}>{outcome}</Chip>
          </td>
          <td class="wide">
            {name}
            {message !== "" && <p class="error">{message}</p>}
          </td>
          <td class="wide faint">{file}</td>
          <td class="number">{seconds.toFixed(2)} s</td>
        </tr>
      ))}
    </Table>
  );
}
