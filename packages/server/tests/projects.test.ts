import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { createTestApp, smallDocument } from "./test-app.ts";

const { call } = await createTestApp();
const yaml = { "content-type": "application/yaml" };

test("a project is created from a document, and its document comes back byte for byte", async () => {
  const document = await readFile(new URL("../../../examples/api.yaml", import.meta.url));
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
