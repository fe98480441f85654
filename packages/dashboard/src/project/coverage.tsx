import { Table } from "../parts/listing.tsx";
import { SomeOf } from "../parts/some-of.tsx";
import { readCoverage, type Share } from "./coverage-report.ts";

/** What the tests cover: in all, and of each file, the least covered first. */
export function Coverage({ text }: { readonly text: string }) {
  const report = readCoverage(text);
  if (report === undefined) return <p class="error">The coverage report cannot be read.</p>;
  const files = report.files.toSorted((a, b) => ratioOf(a.lines) - ratioOf(b.lines));
  return (
    <details>
      <summary>
        Coverage {percent(report.ratio)}: lines {percent(ratioOf(report.lines))}, functions{" "}
        {percent(ratioOf(report.functions))}
      </summary>
      <SomeOf items={files}>
        {(some) => (
          <Table label="Coverage by file" head={["File", "Lines", "Functions"]} numbers={["Functions"]}>
            {some.map(({ path, lines, functions }) => (
              <tr key={path}>
                <td class="wide">{path}</td>
                <td>
                  <meter class="meter" min={0} max={1} value={ratioOf(lines)} aria-label={`Lines of ${path}`} />{" "}
                  {percent(ratioOf(lines))}
                </td>
                <td class="number">{percent(ratioOf(functions))}</td>
              </tr>
            ))}
          </Table>
        )}
      </SomeOf>
    </details>
  );
}

function ratioOf({ covered, total }: Share): number {
  return total === 0 ? 1 : covered / total;
}

function percent(ratio: number): string {
  return `${Math.floor(ratio * 100)} %`;
}
