import { describeMeasured, type ReportedLine } from "@slipway/contract";
import type { ServiceContext } from "../command.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { unmetLines } from "../foreseen/describe.ts";
import { printable } from "../output/printable.ts";
import { checkCounts } from "../output/quantities.ts";
import type { Terminal } from "../output/terminal.ts";
import { toJson } from "../output/to-json.ts";

/** Shows what became of each line of a document, in its order; exits with 1 if one failed. */
export async function showAcceptance({ client, terminal, args, options, signal }: ServiceContext): Promise<ExitCode> {
  const [project_id = ""] = args;
  const report = await client.call("readAcceptance", { params: { project_id }, signal });
  const code = report.counts.failed > 0 ? exitCode.failed : exitCode.ok;
  if (options.json) {
    terminal.out(toJson(report));
    return code;
  }
  const { colors } = terminal;
  const commit = report.commit === null ? "not checked yet" : `of commit ${report.commit.slice(0, 12)}`;
  const lines = report.lines.flatMap((line) => describeLine(line, colors));
  // A service of an earlier version does not say.
  const unmet = (report as Partial<typeof report>).unmet ?? [];
  const notBuilt = unmet.length === 0 ? [] : ["", "Not used / not built:", ...unmetLines(unmet)];
  terminal.out(
    [...lines, ...notBuilt, ...(lines.length > 0 ? [""] : []), `${checkCounts(report.counts)}, ${commit}`].join("\n"),
  );
  return code;
}

function describeLine(reported: ReportedLine, colors: Terminal["colors"]): string[] {
  const { verdict, line, title, reason, previous, measured } = reported;
  const marks = {
    passed: colors.green("✔ passed     "),
    failed: colors.red("✘ failed     "),
    not_checked: colors.yellow("? not checked"),
    waived: colors.yellow("~ waived     "),
  };
  const place = line === null ? "" : colors.dim(`line ${line}  `);
  const before =
    previous === null || previous === verdict ? "" : colors.dim(` (before: ${previous.replace("_", " ")})`);
  const numbers = measured.filter(({ name }) => name !== "duration").map(describeMeasured);
  const notes = [reason, ...(numbers.length === 0 ? [] : [numbers.join(", ")]), ...answererOf(reported)];
  return [
    `${marks[verdict]}  ${place}${printable(title)}${before}`,
    ...notes.map((note) => `    ${colors.dim(printable(note))}`),
  ];
}

/** Who else than the service has answered for the line. */
function answererOf({ answered_by }: ReportedLine): string[] {
  if (answered_by === null || answered_by.by === "service") return [];
  const { by, name, kind } = answered_by;
  return [`answered by ${by}${name === null ? "" : ` ${name}`}${kind === null ? "" : ` (${kind})`}`];
}
