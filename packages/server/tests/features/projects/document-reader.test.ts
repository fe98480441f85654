// @module-tag soak

import { readdirSync, readFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { soakCases } from "../../../../../tools/soak-runs.ts";
import { DocumentReader } from "../../../src/features/projects/index.ts";
import { createMetrics } from "../../../src/platform/http/index.ts";
import { createTestApp, smallDocument } from "../../support/test-app.ts";
import { until } from "../../support/until.ts";

const service = await createTestApp();
const { call } = service;
const metrics = createMetrics();
const odd = new URL("../../support/crashing-document-thread.ts", import.meta.url);

test("while a large document is read, others are answered", { tags: "long" }, async () => {
  for (const url of ["/api/v1/specs/validate", "/api/v1/projects"]) {
    let isAnswered = false;
    const headers = { "content-type": "application/yaml" };
    const reading = call({ method: "POST", url, headers, payload: largeDocument() }).finally(() => {
      isAnswered = true;
    });
    // Who reads in the thread that answers could never be seen reading.
    await until(async () => {
      expect(isAnswered).toBe(false);
      return (await documentsReading()) === 1;
    });
    expect((await call({ url: "/healthz" })).statusCode).toBe(200);
    expect((await reading).statusCode).toBeLessThan(300);
    expect(await documentsReading()).toBe(0);
  }
});

test("a large document says the same of itself as a small one, and comes back as it was sent", {
  tags: "long",
}, async () => {
  const text = largeDocument();
  const send = (url: string, payload: string) =>
    call({ method: "POST", url, headers: { "content-type": "application/yaml" }, payload });
  const made = await send("/api/v1/projects", text);
  const { spec_url } = made.json<{ spec_url: string }>();
  expect((await call({ url: spec_url })).payload).toBe(text);
  const asJson = await call({ url: spec_url, headers: { accept: "application/json" } });
  expect(asJson.headers["content-type"]).toBe("application/json; charset=utf-8");
  expect(asJson.json()).toMatchObject({ id: "large", notes: { n0: { text: "note 0" } } });
  const padding = `# ${"x".repeat(100)}\n`.repeat(1000);
  for (const document of ["a: [", "id: a\n", `${smallDocument()}guardrail: {}\n`]) {
    const [small, large] = [document, `${document}\n${padding}`];
    for (const url of ["/api/v1/projects", "/api/v1/specs/validate?environment=none", "/api/v1/specs/validate"]) {
      const [one, other] = [await send(url, small), await send(url, large)];
      expect(other.statusCode).toBe(one.statusCode);
      const told = (answer: typeof one) =>
        (answer.json<Told>().errors ?? answer.json<Told>().diagnostics)?.map(({ code }) => code);
      expect(told(other)).toEqual(told(one));
    }
  }
});

test("every example is read the same in a thread", async () => {
  const [inline, threaded] = [reader({}), reader({ inlineBytes: 0 })];
  const folder = new URL("../../../../../examples/", import.meta.url);
  for (const name of readdirSync(folder).filter((file) => file.endsWith(".yaml"))) {
    const document = { bytes: readFileSync(new URL(name, folder)), isJsonWanted: true };
    expect(await threaded.read(document), name).toEqual(await inline.read(document));
  }
});

test.for([
  ["ten thousand values", `acceptance: { tests: [${"{},".repeat(5_000)}] }\n`],
  ["lists inside each other", `notes:\n${`${"- ".repeat(30)}\n`.repeat(100)}`],
  ["environments that each override many services", servicesTimesEnvironments()],
  ["aliases of many values", `notes: [&a [${"1,".repeat(300)}], ${"*a, ".repeat(90)}]\n`],
])("a small document with %s is read in a thread", async ([, part]) => {
  const documents = reader({ entry: odd });
  const bytes = Buffer.from(`${smallDocument().replace("acceptance: {}\n", "")}${part}`);
  expect(bytes.length).toBeLessThan(32 * 1024);
  expect(await documents.read({ bytes, environment: "echo" })).toMatchObject({ json: expect.any(String) });
});

test("there are never more threads than are allowed, and they are used again", async () => {
  const documents = reader({ entry: odd, threads: 2, inlineBytes: 0 });
  const first = await Promise.all([1, 2, 3, 4, 5, 6].map(() => documents.read(told("echo"))));
  const second = await Promise.all([1, 2].map(() => documents.read(told("echo"))));
  const threads = new Set(first.map(({ json }) => json));
  expect(threads.size).toBe(2);
  for (const { json } of second) expect(threads).toContain(json);
});

test.for(soakCases(["throw", "exit", "eat"]))(
  "a thread that dies (%s) refuses its document; the next one is read",
  async (how) => {
    const documents = reader({ entry: odd, threads: 1, inlineBytes: 0 });
    const [dead, next] = [documents.read(told(how)), documents.read(told("echo"))];
    await expect(dead).rejects.toMatchObject({ code: "overloaded", headers: { "retry-after": "5" } });
    await expect(next).resolves.toMatchObject({ diagnostics: [] });
  },
);

test("a document that takes too long is refused and its thread ended; the next one is read", async () => {
  const documents = reader({ entry: odd, threads: 1, inlineBytes: 0, maxMs: 500 });
  await expect(documents.read(told("spin"))).rejects.toMatchObject({
    code: "overloaded",
    message: "The document could not be read within 0.5 s. Try again shortly.",
  });
  const isRead = () =>
    documents.read(told("echo")).then(
      () => true,
      () => false,
    );
  // A slow machine may not start a thread in that time at once.
  await until(isRead);
});

test("what waits for too long behind another is refused, and never read", async () => {
  const documents = reader({ entry: odd, threads: 1, inlineBytes: 0, maxMs: 1 });
  const both = await Promise.allSettled([documents.read(told("spin")), documents.read(told("spin"))]);
  expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
});

test("beyond what may wait is refused at once; at the end everybody who waits is", async () => {
  const documents = reader({ entry: odd, threads: 1, waiting: 2, inlineBytes: 0 });
  const held = [1, 2, 3].map(() => documents.read(told("spin")));
  const endings = Promise.allSettled(held);
  await expect(documents.read(told("echo"))).rejects.toMatchObject({
    code: "overloaded",
    headers: { "retry-after": "5" },
  });
  await documents.close();
  for (const ending of await endings) expect(ending).toMatchObject({ reason: { code: "shutting_down" } });
  await expect(documents.read(told("echo"))).rejects.toMatchObject({ code: "shutting_down" });
});

test("a thread without work ends, and another takes its place when there is some", async () => {
  const documents = reader({ entry: odd, threads: 1, inlineBytes: 0, idleMs: 1 });
  const { json } = await documents.read(told("echo"));
  await until(async () => (await documents.read(told("echo"))).json !== json);
});

function servicesTimesEnvironments(): string {
  const services = Array.from({ length: 300 }, (_, index) => `a${index}: {}`);
  const environments = Array.from({ length: 700 }, (_, index) => `e${index}: { services: { b: {} } }`);
  return `services: { ${services.join(", ")} }\nenvironments: { ${environments.join(", ")} }\n`;
}

interface Told {
  readonly errors?: readonly { code: string }[];
  readonly diagnostics?: readonly { code: string }[];
}

test("a document for which no thread can be started is refused, and so is the next", async () => {
  // As where the system has no room for another thread.
  const documents = reader({ entry: new URL("https://nowhere.example"), inlineBytes: 0, maxMs: 10 });
  for (const _ of ["one", "two"])
    await expect(documents.read(told("answer"))).rejects.toMatchObject({ code: "overloaded" });
});

function reader(bounds: ConstructorParameters<typeof DocumentReader>[1]): DocumentReader {
  const documents = new DocumentReader(metrics, bounds);
  onTestFinished(() => documents.close());
  return documents;
}

/** For the odd thread: what it shall do. */
function told(environment: string) {
  return { bytes: Buffer.from("x"), environment };
}

async function documentsReading(): Promise<number> {
  const { payload } = await call({ url: "/metrics" });
  return Number(/^slipway_large_documents_reading (\d+)$/m.exec(payload)?.[1]);
}

/** Nearly 1 MiB that is valid and takes long to read. */
function largeDocument(): string {
  const entry = (number: number) =>
    `  n${number}: { text: note ${number}, pages: [1, 2, 3], because: "${"it has to be long ".repeat(4)}" }\n`;
  const notes = Array.from({ length: 7_000 }, (_, number) => entry(number)).join("");
  return `${smallDocument("large")}notes:\n${notes}`;
}
