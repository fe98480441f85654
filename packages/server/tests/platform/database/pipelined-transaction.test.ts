import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Kysely, sql } from "kysely";
import { afterAll, expect, test } from "vitest";
import { Answers, connectDatabase, pipelinedTransaction } from "../../../src/platform/database/index.ts";
import { quietLog } from "../../support/database/quiet-log.ts";
import { createTestDatabase } from "../../support/database/test-database.ts";

const { connection } = await createTestDatabase(await mkdtemp(join(tmpdir(), "slipway-")));
const { db, close } = connectDatabase<object>(connection, { log: quietLog });
afterAll(close);

test("statements that nobody waited for are carried out in the order in which they were begun, and hold together", async () => {
  const answers = new Answers();
  const numbers = Array.from({ length: 50 }, (_, at) => at);
  await pipelinedTransaction(db, async (trx) => {
    await sql`create table told (place bigint generated always as identity, number integer)`.execute(trx);
    for (const number of numbers) answers.add(sql`insert into told (number) values (${number})`.execute(trx));
    return { value: undefined, answers: answers.all };
  });
  const { rows } = await sql<{ number: number }>`select number from told order by place`.execute(db);
  expect(rows.map(({ number }) => number)).toEqual(numbers);
});

test("one statement that fails undoes the others, and says why, whoever waited for what", async () => {
  await sql`create table kept (number integer primary key)`.execute(db);
  const failing = pipelinedTransaction(db, async (trx) => {
    const answers = new Answers();
    for (const number of [1, 2, 2, 3]) answers.add(sql`insert into kept values (${number})`.execute(trx));
    return { value: undefined, answers: answers.all };
  });
  await expect(failing).rejects.toThrow(/duplicate key/);
  expect(await countKept(db)).toBe(0);
});

test("work that throws is undone, and the connection serves the next one", async () => {
  await sql`create table if not exists kept (number integer primary key)`.execute(db);
  for (let round = 0; round < 30; round += 1) {
    const failing = pipelinedTransaction(db, async (trx) => {
      const answers = new Answers();
      answers.add(sql`insert into kept values (${round})`.execute(trx));
      throw new Error("changed its mind");
    });
    await expect(failing).rejects.toThrow("changed its mind");
  }
  expect(await countKept(db)).toBe(0);
  const value = await pipelinedTransaction(db, async (trx) => ({ value: await countKept(trx), answers: [] }));
  expect(value).toBe(0);
});

async function countKept(from: Kysely<object>): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from kept`.execute(from);
  return rows[0]!.count;
}
