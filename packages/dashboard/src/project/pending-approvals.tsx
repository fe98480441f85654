import { Decision } from "../approvals/decision.tsx";
import { useApprovals } from "./project-data.ts";

/** What a person has to decide before the project goes on. */
export function PendingApprovals({ id }: { readonly id: string }) {
  const pending = (useApprovals(id).data ?? []).filter(({ status }) => status === "pending");
  return (
    <>
      {pending.map((approval) => (
        <Decision key={approval.approval_id} approval={approval} />
      ))}
    </>
  );
}
