import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { expect, test } from "vitest";
import { createTestDatabase } from "../../support/database/test-database.ts";

const { connection } = await createTestDatabase(
  fileURLToPath(new URL("../../../src/platform/database/migrations", import.meta.url)),
);

test("the page about the database names every table and column, and no others", async () => {
  const client = new pg.Client({ ...connection, ssl: false });
  await client.connect();
  const { rows } = await client.query<{ table: string; columns: string[] }>(
    `select table_name as table, array_agg(column_name::text order by ordinal_position) as columns
     from information_schema.columns where table_schema = 'public' group by table_name order by table_name`,
  );
  await client.end();
  const page = await readFile(new URL("../../../../../docs/reference/database.md", import.meta.url), "utf8");
  const documented = [...page.matchAll(/^\| `(\w+)` \| [^|]+ \| (.+) \|$/gm)].map(([, table = "", columns = ""]) => ({
    table,
    columns: [...columns.replace(/\([^)]*\)/g, "").matchAll(/`(\w+)`/g)].map(([, column = ""]) => column),
  }));
  const byName = (a: { table: string }, b: { table: string }) => (a.table < b.table ? -1 : 1);
  expect(documented.sort(byName)).toEqual(rows.sort(byName));
});
