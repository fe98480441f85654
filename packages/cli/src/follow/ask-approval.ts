import { SlipwayError } from "@slipway/client";
import type { Approval, Project } from "@slipway/contract";
import type { Connection } from "../connection/connect.ts";
import { printable } from "../output/printable.ts";
import { count } from "../output/quantities.ts";
import type { Terminal } from "../output/terminal.ts";
import { waitingLines } from "./waiting.ts";

interface Deps {
  readonly terminal: Terminal;
  readonly connection: Connection;
  readonly projectId: string;
}

const maxLines = 10;

/** Asks whoever follows a project to decide what it waits for. The signal takes the question back: somebody else decided. */
export async function askApproval(deps: Deps, project: Project, signal: AbortSignal): Promise<void> {
  const { terminal, connection, projectId } = deps;
  const { ask, err, colors } = terminal;
  if (ask === undefined) return;
  const params = { project_id: projectId };
  const { approvals } = await connection.client.call("listApprovals", { params, signal });
  for (const approval of approvals.filter(({ status }) => status === "pending").reverse()) {
    for (const line of aboutLines(approval)) err(colors.yellow(line));
    const decision = await decide(ask, signal);
    if (signal.aborted) return;
    if (decision === "later") {
      for (const line of waitingLines(project, connection)) err(colors.yellow(line));
      return;
    }
    try {
      const call = { params: { approval_id: approval.approval_id }, body: { decision }, signal };
      const { status } = await connection.client.call("decideApproval", call);
      err(`${printable(subjectOf(approval))}: ${status}`);
    } catch (error) {
      if (!(error instanceof SlipwayError)) throw error;
      // Not this user's to decide, or decided in between.
      err(colors.yellow(printable(error.message, 1000)));
      for (const line of waitingLines(project, connection)) err(colors.yellow(line));
    }
  }
}

async function decide(ask: NonNullable<Terminal["ask"]>, signal: AbortSignal): Promise<"approve" | "deny" | "later"> {
  for (;;) {
    const answer = (await ask("Approve? [y]es, [n]o, [l]ater: ", signal)).trim().toLowerCase();
    if (signal.aborted || answer === "" || "later".startsWith(answer)) return "later";
    if ("yes".startsWith(answer)) return "approve";
    if ("no".startsWith(answer)) return "deny";
  }
}

function aboutLines(approval: Approval): string[] {
  const { lines, deadline } = approval;
  const listed = lines.slice(0, maxLines).map(({ line, title }) => {
    return `  not checked: ${line === null ? "" : `line ${line}  `}${printable(title)}`;
  });
  return [
    `A person must decide: ${printable(subjectOf(approval))} (until ${deadline})`,
    ...listed,
    ...(lines.length > maxLines ? [`  and ${count(lines.length - maxLines, "more unchecked line")}`] : []),
  ];
}

/** What an approval is about, in a few words. */
export function subjectOf({ gate, environment, question }: Approval): string {
  if (question) return `${gate}: ${question}`;
  return environment === "" ? gate : `${gate} to ${environment}`;
}
