import { sql } from "kysely";
import type { Database } from "../../platform/database/index.ts";

/** Renews the lease of a node, or gives it one; answers whether the lease of another node has ended. */
export async function renewNode(
  db: Database,
  node: string,
  leaseMs: number,
  /** Its data folder. */
  host?: string,
): Promise<{ readonly hasSilent: boolean }> {
  const { rows } = await sql<{ hasSilent: boolean }>`
    insert into nodes (name, host, lease_expires_at) values (${node}, ${host ?? null}, now() + ${leaseMs} * interval '1 ms')
    on conflict (name) do update set lease_expires_at = excluded.lease_expires_at
    returning exists (select from nodes where lease_expires_at <= now() and name <> ${node}) as "hasSilent"`.execute(
    db,
  );
  return rows[0]!;
}

/** Deletes the nodes whose lease has ended. */
export async function deleteSilentNodes(db: Database): Promise<void> {
  await sql`delete from nodes where lease_expires_at <= now()`.execute(db);
}

export async function deleteNode(db: Database, node: string): Promise<void> {
  await sql`delete from nodes where name = ${node}`.execute(db);
}

/** Ends all leases at once: only where it is certain that no other node lives. */
export async function deleteAllNodes(db: Database): Promise<void> {
  await sql`delete from nodes`.execute(db);
}

/** The nodes that do work, with the number of jobs that each has claimed. */
export async function selectNodes(db: Database): Promise<{ name: string; leaseExpiresAt: Date; jobs: number }[]> {
  const { rows } = await sql<{ name: string; leaseExpiresAt: Date; jobs: number }>`
    select name, lease_expires_at as "leaseExpiresAt",
      (select count(*)::int from jobs where jobs.claimed_by = nodes.name) as jobs
    from nodes order by name`.execute(db);
  return rows;
}
