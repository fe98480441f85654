import type { Approval } from "@slipway/contract";
import { type ServiceContext, textOf } from "../command.ts";
import { type ExitCode, exitCode, UsageError } from "../exit-code.ts";
import { print } from "../output/print.ts";
import { printable } from "../output/printable.ts";

/** Approves or denies what a project waits for. */
export async function approveProject(context: ServiceContext): Promise<ExitCode> {
  const { client, options, signal } = context;
  const comment = textOf(options, "comment");
  const decided = await client.call("decideApproval", {
    params: { approval_id: textOf(options, "approvalId") ?? (await findPending(context)) },
    body: { decision: options["deny"] === true ? "deny" : "approve", ...(comment !== undefined && { comment }) },
    signal,
  });
  print(context, decided, () => `${printable(subjectOf(decided))} is ${decided.status} (${decided.approval_id})`);
  return exitCode.ok;
}

async function findPending({ client, args: [projectId = ""], signal }: ServiceContext): Promise<string> {
  const { approvals } = await client.call("listApprovals", { params: { project_id: projectId }, signal });
  const pending = approvals.filter(({ status }) => status === "pending");
  if (pending.length === 1) return pending[0]!.approval_id;
  if (pending.length === 0) throw new UsageError(`${projectId} is not waiting for an approval`);
  const choices = pending.map((approval) => `  ${approval.approval_id}  ${printable(subjectOf(approval))}`);
  throw new UsageError(
    `${projectId} is waiting for several approvals: choose one with --approval-id\n${choices.join("\n")}`,
  );
}

/** What an approval is about, in a few words. */
export function subjectOf({ gate, environment, question }: Approval): string {
  if (question) return `${gate}: ${question}`;
  return environment === "" ? gate : `${gate} to ${environment}`;
}
