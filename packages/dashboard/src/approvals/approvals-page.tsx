import { client } from "../data/client.ts";
import { useList } from "../data/use-list.ts";
import { Listing } from "../parts/listing.tsx";
import { useTitle } from "../parts/use-title.ts";
import { Link } from "../routing/router.tsx";
import { Decision } from "./decision.tsx";

/** Everything that waits for a person, of all projects. */
export function ApprovalsPage() {
  useTitle("Approvals");
  const list = useList("approvals/list", async (page) => {
    const { approvals, next_cursor } = await client.call("listPendingApprovals", { query: page });
    return { items: approvals, next: next_cursor };
  });
  return (
    <div class="page">
      <h1>Approvals</h1>
      <Listing list={list} empty={<p>Nothing waits for a decision.</p>}>
        {list.items.map((approval) => (
          <Decision key={approval.approval_id} approval={approval}>
            <p>
              <Link href={`/projects/${approval.project_id}`}>{approval.project_name}</Link>, before {approval.phase}
            </p>
          </Decision>
        ))}
      </Listing>
    </div>
  );
}
