import { randomBytes } from "node:crypto";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Webhooks } from "../../packages/server/src/features/webhooks/index.ts";

import { systemClock } from "../../packages/server/src/platform/clock.ts";
import {
  connectDatabase,
  migrate,
  type Schema,
  startEmbeddedPostgres,
} from "../../packages/server/src/platform/database/index.ts";
import { createMetrics, OpenWaits } from "../../packages/server/src/platform/http/index.ts";
import { createLog } from "../../packages/server/src/platform/log/log.ts";
import { loadKeyring } from "../../packages/server/src/platform/secrets/keyring.ts";
import { newFolder, Running } from "../http/processes.ts";
import { copyModel } from "../models/copy-model.ts";

const migrations = fileURLToPath(new URL("../../packages/server/src/platform/database/migrations", import.meta.url));
export const eventData = { name: "Shop", status: "specification", spec_url: "/api/v1/projects/proj_x/spec" };

/** What is measured: the part of the service that tells webhooks, on a database of its own, and a receiver elsewhere. */
export async function openStage() {
  const folder = newFolder();
  chmodSync(folder, 0o711);
  const log = createLog("warn");
  const data = join(folder, "data");
  copyModel("database", data);
  const postgres = await startEmbeddedPostgres({ folder: data, log });
  const { db, pool, close } = connectDatabase<Schema>(postgres.connection, { log });
  await migrate({ pool, log }, migrations);
  const keyring = await loadKeyring({ variable: randomBytes(32).toString("base64"), file: "" });
  const metrics = createMetrics();
  const webhooks = new Webhooks({
    db,
    clock: systemClock,
    log,
    keyring,
    metrics,
    openWaits: new OpenWaits(metrics),
    rules: { allowsLocal: true, networks: [] },
    version: "0",
    notifyNodes: () => undefined,
  });
  const receiver = await Running.start([fileURLToPath(new URL("receiver.ts", import.meta.url))]);
  const url = `http://127.0.0.1:${receiver.port}`;
  const sealed = Buffer.from(keyring.encrypt(Buffer.from("whsec_c2xpcHdheS1leGFtcGxlLXNlY3JldC0x")));
  await pool.query("insert into users (id, name, role) values ('usr_1', 'bench', 'svc:admin')");
  await pool.query(`insert into applications (id, owner_id, document_id, projects, latest_project_id, updated_at)
    values ('app_1', 'usr_1', 'x', 1, 'proj_1', now())`);
  await pool.query(`insert into projects (id, application_id, owner_id, document_id, name, outcome_type)
    select 'proj_' || number, 'app_1', 'usr_1', 'x', 'X', 'api' from generate_series(1, 100) as number`);
  await webhooks.start({ isAlone: true });
  let made = 0;
  return {
    url,
    /** Replaces the webhooks there are. */
    register: async (urls: readonly string[]) => {
      await pool.query("delete from webhooks");
      await pool.query("truncate deliveries, delivered_runs");
      for (const one of urls) {
        made += 1;
        await pool.query(
          `insert into webhooks (id, owner_id, url, events, ordering, secret) values ($1, 'usr_1', $2, '{*}', 'none', $3)`,
          [`wh_${made}`, one, sealed],
        );
      }
      webhooks.noteMissed();
    },
    /** Writes so many events, a hundred in a transaction. */
    write: async (count: number) => {
      for (let left = count; left > 0; left -= 100) {
        await pool.query(
          `with project as (
            update projects set last_sequence = last_sequence + $1 where id = 'proj_1' returning last_sequence
          )
          insert into events (project_id, sequence, id, name, data, created_at)
          select 'proj_1', last_sequence - $1 + number, 'evt_' || gen_random_uuid(), 'project.created', $2, clock_timestamp()
          from project, generate_series(1, $1) as number`,
          [Math.min(left, 100), JSON.stringify(eventData)],
        );
        webhooks.noteEvent();
      }
    },
    /** Holds the log back: what is written comes to be read when it is let go, all at once. */
    holdLog: async () => {
      const client = await pool.connect();
      await client.query("begin");
      await client.query("select pg_current_xact_id()");
      return async () => {
        await client.query("commit");
        client.release();
        webhooks.noteEvent();
      };
    },
    /** What arrived since it was asked for last, and forgotten by then. */
    told: async (forget = false) =>
      (await (await fetch(`${url}/told`, forget ? { method: "DELETE" } : {})).json()) as {
        count: number;
        delaysMs: number[];
      },
    /** How many are settled as arrived, of those after a delivery, and the last delivery. */
    settled: async (after = 0) => {
      const { rows } = await pool.query<{ count: number; last: number }>(
        `select sum(count)::bigint as count, greatest(max(last), $1) as last from (
           select count(*) filter (where status = 'delivered') as count, max(id) as last from deliveries where id > $1
           union all
           select coalesce(sum(count), 0), max(id + count - 1) from delivered_runs where id > $1
         ) as either`,
        [after],
      );
      return rows[0]!;
    },
    /** How many have arrived since the start: asking costs the database nothing. */
    arrived: async () => {
      const { values } = await metrics.deliveries.get();
      return values.find(({ labels }) => labels.result === "delivered")?.value ?? 0;
    },
    stop: async () => {
      await webhooks.stop();
      await webhooks.close();
      await close();
      await postgres.stop();
    },
  };
}
