import { expect, test } from "vitest";
import { createTestApp, smallDocument } from "../../server/tests/support/test-app.ts";
import {
  createClient,
  isConnectionError,
  isSlipwayError,
  listAll,
  listenWebhooks,
  verifyWebhook,
  watchEvents,
} from "../src/index.ts";

const { http, adminToken } = await createTestApp();
const client = createClient({ url: await http.listen({ host: "127.0.0.1", port: 0 }), token: adminToken });

test("the real service: a project is created, read, listed and watched", async () => {
  const created = await client.call("createProject", { document: smallDocument("whole") });
  if (!("project_id" in created)) throw new Error("This was no dry run.");
  const params = { project_id: created.project_id };
  expect(await client.call("readProject", { params })).toMatchObject({ ...params, name: "Hello" });
  const projects = listAll(
    (query) => client.call("listProjects", { query: { ...query, id: "whole" } }),
    (page) => page.projects,
  );
  expect((await Array.fromAsync(projects)).map(({ project_id }) => project_id)).toEqual([created.project_id]);
  const events = watchEvents(client, created.project_id);
  expect((await events.next()).value).toMatchObject({ sequence: 1, event: "project.created", ...params });
  await events.return(undefined as never);
});

test("the real service: a project is waited for, and lists come in as many pages as they need", async () => {
  const created = await Promise.all(["p1", "p2", "p3"].map((id) => client.projects.create(smallDocument(id))));
  const [{ project_id } = { project_id: "" }] = created;
  const waiting = client.projects.wait(project_id);
  await client.call("cancelProject", { params: { project_id } });
  expect(await waiting).toMatchObject({ project_id, status: "failed" });
  expect(await client.projects.read(project_id)).toMatchObject({ document_id: "p1" });

  const listed = await Array.fromAsync(client.projects.list({ limit: 1 }));
  expect(listed.map((project) => project.project_id)).toEqual(
    expect.arrayContaining(created.map((project) => project.project_id)),
  );
  const events = await Array.fromAsync(client.list("listEvents", { params: { project_id }, query: { limit: 1 } }));
  expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1));
  expect(events.map(({ event }) => event)).toContain("project.failed");
  expect(await client.artifacts.list(project_id)).toEqual([]);
});

test("the real service: errors are told apart without their classes", async () => {
  const refused = await client.projects.read("proj_none").catch((error: unknown) => error);
  expect([isSlipwayError(refused), isSlipwayError(refused, "not_found"), isSlipwayError(refused, "conflict")]).toEqual([
    true,
    true,
    false,
  ]);
  const impatient = createClient({ url: client.url, token: adminToken, retries: 0 });
  const late = await impatient.projects.read("proj_none", { timeoutMs: 0 }).catch((error: unknown) => error);
  expect(isConnectionError(late) && late.isTimeout).toBe(true);
});

test("the real service: a document that is not valid is refused with every problem", async () => {
  await expect(client.call("createProject", { document: "id: 1\n" })).rejects.toMatchObject({
    status: 422,
    code: "invalid_document",
    isRefusal: true,
    problem: { errors: expect.arrayContaining([expect.objectContaining({ line: 1 })]) },
  });
});

test("the real service: another token is refused", async () => {
  const stranger = createClient({ url: client.url, token: "spec_ut_no" });
  await expect(stranger.call("listProjects")).rejects.toMatchObject({ isDenied: true, code: "unauthenticated" });
});

test("the real service: deliveries are listened to through a broken connection, each once and signed", async () => {
  const cut = new AbortController();
  const streams: AbortSignal[] = [];
  const listener = createClient({
    url: client.url,
    token: adminToken,
    // The first connection can be broken from here.
    fetch: (url, init) => {
      const until = streams.length === 0 ? [init!.signal!, cut.signal] : [init!.signal!];
      streams.push(AbortSignal.any(until));
      return fetch(url, { ...init, signal: streams.at(-1)! });
    },
  });
  const begun = Promise.withResolvers<void>();
  const secrets: string[] = [];
  const onSecret = (secret: string) => {
    secrets.push(secret);
    begun.resolve();
  };
  const deliveries = listenWebhooks(listener, { query: { events: "project.created" }, onSecret });
  const names: unknown[] = [];
  const take = async (delivery: ReturnType<typeof deliveries.next>) => {
    const { headers, body, secret } = (await delivery).value;
    const event = await verifyWebhook(secret, headers, body);
    if (event.event === "project.created")
      names.push((await client.call("readProject", { params: event })).document_id);
  };
  const first = deliveries.next();
  await begun.promise;
  await client.call("createProject", { document: smallDocument("one") });
  await take(first);
  cut.abort();
  await client.call("createProject", { document: smallDocument("two") });
  await take(deliveries.next());
  await client.call("createProject", { document: smallDocument("three") });
  await take(deliveries.next());
  expect(names).toEqual(["one", "two", "three"]);
  expect(new Set(secrets).size).toBe(2);
  await deliveries.return(undefined as never);
});
