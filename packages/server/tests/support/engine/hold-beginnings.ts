import { sql } from "kysely";
import type { Database } from "../../../src/platform/database/index.ts";

/** Keeps new projects in `specification` until the function it gives is called. */
export async function holdBeginnings(db: Database): Promise<() => Promise<void>> {
  await sql`
    create or replace function hold_beginning() returns trigger language plpgsql as $$
    begin
      new.is_paused := new.kind = 'begin';
      return new;
    end $$`.execute(db);
  await sql`create trigger hold_beginnings before insert on jobs for each row execute function hold_beginning()`.execute(
    db,
  );
  return async () => {
    await sql`drop trigger hold_beginnings on jobs`.execute(db);
    await sql`update jobs set is_paused = false where kind = 'begin'`.execute(db);
  };
}
