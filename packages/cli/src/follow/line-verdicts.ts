import type { AcceptanceReport, ReportedLine } from "@slipway/contract";
import { printable } from "../output/printable.ts";
import { checkCounts } from "../output/quantities.ts";
import type { Terminal } from "../output/terminal.ts";

const maxListed = 20;

/** The verdicts on the lines of the document: one line if all hold, else each that does not, with its first cause. */
export function lineVerdicts(
  { counts, lines }: Pick<AcceptanceReport, "counts" | "lines">,
  command: string,
  colors: Terminal["colors"],
): string[] {
  const open = [...lines.filter(({ verdict }) => verdict === "failed"), ...lines.filter(isUnchecked)];
  const listed = open.slice(0, maxListed).map((line) => `    ${describe(line, colors)}`);
  return [
    `  Checks:  ${checkCounts(counts)} (${command})`,
    ...listed,
    ...(open.length > maxListed ? [`    and ${open.length - maxListed} more`] : []),
  ];
}

function isUnchecked({ verdict }: ReportedLine): boolean {
  return verdict === "not_checked";
}

function describe({ verdict, line, title, reason }: ReportedLine, colors: Terminal["colors"]): string {
  const mark = verdict === "failed" ? colors.red("✘") : colors.yellow("?");
  const place = line === null ? "" : colors.dim(`line ${line}  `);
  const cause = printable(reason.trim().split("\n")[0] ?? "", 300);
  return `${mark} ${place}${printable(title, 120)}${cause === "" ? "" : colors.dim(`: ${cause}`)}`;
}
