import { copyFile, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { findDelivery, selectDeliveries } from "../../../src/features/webhooks/history-store.ts";
import { connectDatabase, migrate, type Schema } from "../../../src/platform/database/index.ts";
import { quietLog } from "../../support/database/quiet-log.ts";
import { createTestDatabase } from "../../support/database/test-database.ts";

const all = fileURLToPath(new URL("../../../src/platform/database/migrations", import.meta.url));
const before = await mkdtemp(join(tmpdir(), "slipway-migrations-"));
afterAll(() => rm(before, { recursive: true, force: true }));
for (const name of await readdir(all)) if (name < "0014") await copyFile(join(all, name), join(before, name));
const { connection } = await createTestDatabase(before);
const { db, pool, close } = connectDatabase<Schema>(connection, { log: quietLog });
afterAll(() => close());

test("deliveries that were there before are listed with the runs that come after, in order", async () => {
  await pool.query("insert into users (id, name, role) values ('usr_1', 'ann', 'svc:admin')");
  await pool.query(
    "insert into webhooks (id, owner_id, url, events, ordering, secret) values ('wh_1', 'usr_1', 'https://a.example/', '{*}', 'none', '')",
  );
  const addRow = (name: string) =>
    pool.query(
      `insert into deliveries (webhook_id, event_id, event, project_id, event_sequence, sequence)
       values ('wh_1', $1, 'project.created', 'proj_1', 1, 1)`,
      [name],
    );
  for (const name of ["evt_1", "evt_2"]) await addRow(name);
  await migrate({ pool, log: quietLog }, all);
  await pool.query(
    `insert into delivered_runs (webhook_id, count, event_ids, events, project_ids, event_sequences, sequences, attempts)
     values ('wh_1', 2, '{evt_3,evt_4}', '{project.created,project.created}', '{proj_1,proj_1}', '{3,4}', '{3,4}', $1)`,
    ['[{"number":1},{"number":1}]'],
  );
  await addRow("evt_5");
  const found = await selectDeliveries(db, "wh_1", {}, { limit: 10, after: undefined });
  expect(found.map(({ event_id }) => event_id)).toEqual(["evt_5", "evt_4", "evt_3", "evt_2", "evt_1"]);
  for (const { id, event_id } of found) expect(await findDelivery(db, id)).toMatchObject({ id, event_id });
  expect(await findDelivery(db, found[1]!.id + 1)).toBeUndefined();
});
