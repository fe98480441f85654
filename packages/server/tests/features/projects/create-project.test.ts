import { readFile } from "node:fs/promises";
import { sql } from "kysely";
import { expect, onTestFinished, test } from "vitest";
import { createTestApp, smallDocument } from "../../support/test-app.ts";

const { call, db } = await createTestApp();
const yaml = { "content-type": "application/yaml" };

test("a project is created from a document, and its document comes back byte for byte", async () => {
  const document = await readFile(new URL("../../../../../examples/api.yaml", import.meta.url));
  const created = await call({ method: "POST", url: "/api/v1/projects", headers: yaml, payload: document });
  expect(created.statusCode).toBe(201);
  const { project_id, status, spec_url } = created.json<Record<string, string>>();
  expect({ status, spec_url }).toEqual({ status: "specification", spec_url: `/api/v1/projects/${project_id}/spec` });
  const spec = await call({ url: spec_url ?? "" });
  expect(spec.headers["content-type"]).toBe("application/yaml; charset=utf-8");
  expect(spec.rawPayload.equals(document)).toBe(true);
});

test("a read gives 304 while nothing changed", async () => {
  const created = await call({ method: "POST", url: "/v1/projects", headers: yaml, payload: smallDocument() });
  const url = `/v1/projects/${created.json<{ project_id: string }>().project_id}`;
  const first = await call({ url });
  const second = await call({ url, headers: { "if-none-match": String(first.headers.etag) } });
  expect([first.statusCode, second.statusCode, second.payload]).toEqual([200, 304, ""]);
});

test.each([
  ["without a key", {}],
  ["with a key", { "idempotency-key": "fails" }],
])("a create that fails at the last of its rows leaves none of them: %s", async (_, headers) => {
  await sql`alter table audit add constraint closed check (action <> 'project.create') not valid`.execute(db);
  const reopen = () => sql`alter table audit drop constraint if exists closed`.execute(db);
  onTestFinished(async () => void (await reopen()));
  const create = () =>
    call({
      method: "POST",
      url: "/api/v1/projects",
      headers: { ...yaml, ...headers },
      payload: smallDocument("fails"),
    });
  const counts = async () =>
    (
      await sql`select (select count(*) from applications where document_id = 'fails') as applications,
                       (select count(*) from projects where document_id = 'fails') as projects,
                       (select count(*) from specs) as specs, (select count(*) from events) as events,
                       (select count(*) from idempotency) as keys`.execute(db)
    ).rows[0];
  const before = await counts();
  expect((await create()).statusCode).toBe(500);
  expect(await counts()).toEqual(before);
  await reopen();
  expect((await create()).statusCode).toBe(201);
});
