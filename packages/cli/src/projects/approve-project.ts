import type { Approval } from "@slipway/contract";
import { type ServiceContext, textOf } from "../command.ts";
import { type ExitCode, exitCode, UsageError } from "../exit-code.ts";
import { subjectOf } from "../follow/ask-approval.ts";
import { print } from "../output/print.ts";
import { printable } from "../output/printable.ts";

/** Approves or denies what a project waits for. */
export async function approveProject(context: ServiceContext): Promise<ExitCode> {
  const { client, options, signal } = context;
  const comment = textOf(options, "comment");
  const named = textOf(options, "approvalId");
  const confirmed = options["confirm"] as readonly string[] | undefined;
  const pending = named === undefined || confirmed !== undefined ? await findPending(context, named) : undefined;
  const decided = await client.call("decideApproval", {
    params: { approval_id: pending?.approval_id ?? named! },
    body: {
      decision: options["deny"] === true ? "deny" : "approve",
      ...(comment !== undefined && { comment }),
      ...(confirmed && { confirms: confirmed.map((line) => pointerOf(line, pending?.lines ?? [])) }),
    },
    signal,
  });
  const told = [`${printable(subjectOf(decided))} is ${decided.status} (${decided.approval_id})`];
  print(context, decided, () => [...told, ...decided.lines.map(describeLine)].join("\n"));
  return exitCode.ok;
}

/** The pointer of a line that a person names by its number in the document. */
function pointerOf(named: string, lines: Approval["lines"]): string {
  if (named.startsWith("/")) return named;
  const found = lines.filter(({ line }) => String(line) === named);
  if (found.length === 1) return found[0]!.pointer;
  const choices = lines.map(({ line, pointer }) => `  ${line ?? "-"}  ${printable(pointer)}`);
  const problem = found.length === 0 ? "is not the number of an unchecked line" : "has several unchecked lines";
  throw new UsageError([`--confirm: ${printable(named)} ${problem}; there are:`, ...choices].join("\n"));
}

function describeLine({ verdict, line, title }: Approval["lines"][number]): string {
  return `  ${verdict.replace("_", " ")}  ${line === null ? "" : `line ${line}  `}${printable(title)}`;
}

async function findPending(
  { client, args: [projectId = ""], signal }: ServiceContext,
  approvalId: string | undefined,
): Promise<Approval> {
  const { approvals } = await client.call("listApprovals", { params: { project_id: projectId }, signal });
  const isMeant = ({ approval_id: id }: Approval) => approvalId === undefined || approvalId === id;
  const pending = approvals.filter((approval) => approval.status === "pending" && isMeant(approval));
  if (pending.length === 1) return pending[0]!;
  if (pending.length === 0) throw new UsageError(`${projectId} is not waiting for an approval`);
  const choices = pending.map((approval) => `  ${approval.approval_id}  ${printable(subjectOf(approval))}`);
  throw new UsageError(
    `${projectId} is waiting for several approvals: choose one with --approval-id\n${choices.join("\n")}`,
  );
}
