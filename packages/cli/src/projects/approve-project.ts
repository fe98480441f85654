import { textOf } from "../connection/with-service.ts";
import { type ExitCode, exitCode, UsageError } from "../exit-code.ts";
import { printable } from "../printable.ts";
import type { Context } from "./context.ts";
import { toJson } from "./to-json.ts";
import { whatIsAsked } from "./what-is-asked.ts";

/** Approves, or denies, what a project waits for. */
export async function approveProject(context: Context): Promise<ExitCode> {
  const { client, terminal, options, signal } = context;
  const comment = textOf(options, "comment");
  const decided = await client.call("decideApproval", {
    params: { approval_id: textOf(options, "approvalId") ?? (await findPending(context)) },
    body: { decision: options["deny"] === true ? "deny" : "approve", ...(comment !== undefined && { comment }) },
    signal,
  });
  const what = printable(whatIsAsked(decided));
  terminal.out(options.json ? toJson(decided) : `${what} is ${decided.status} (${decided.approval_id})`);
  return exitCode.ok;
}

async function findPending({ client, projectId, signal }: Context): Promise<string> {
  const { approvals } = await client.call("listApprovals", { params: { project_id: projectId }, signal });
  const pending = approvals.filter(({ status }) => status === "pending");
  if (pending.length === 1) return pending[0]!.approval_id;
  if (pending.length === 0) throw new UsageError(`${projectId} waits for no approval`);
  const choices = pending.map((approval) => `  ${approval.approval_id}  ${printable(whatIsAsked(approval))}`);
  throw new UsageError(`${projectId} waits for several: say which with --approval-id\n${choices.join("\n")}`);
}
