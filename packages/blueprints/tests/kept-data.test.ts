// @module-tag soak
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parse, stringify } from "yaml";
import { soakCases } from "../../../tools/soak-runs.ts";
import { buildDocument, readExample, writeOut } from "./support/build-document.ts";
import { runProject, token } from "./support/run-project.ts";

const api = await readExample("api");
const inPython = (text: string) => {
  const { acceptance, ...document } = parse(text);
  const { tests: _, ...rest } = acceptance;
  const scripts = { start: "python3 app.py" };
  return stringify({ ...document, stack: { language: "python" }, scripts, acceptance: rest });
};

const issue = { title: "The stairs creak", priority: "low" };
const note = { book: "Emma", thought: "Badly done." };
const cases = [
  { name: "an API in JavaScript", document: api, path: "/api/issues", record: issue },
  { name: "an API in Python", document: inPython(api), path: "/api/issues", record: issue },
  { name: "a desktop app", document: await readExample("desktop-app"), path: "/api/notes", record: note },
];

test.for(soakCases(cases))(
  "$name: two versions share the data folder, and what they answered survives a kill",
  async ({ document, path, record }) => {
    const built = await buildDocument(document);
    const [first, second] = [await writeOut(built), await writeOut(built)];
    const place = await mkdtemp(join(tmpdir(), "slipway-kept-"));
    onTestFinished(() => rm(place, { recursive: true, force: true }));
    // It does not exist yet: the program makes it.
    const variables = { SLIPWAY_DATA_DIR: join(place, "data"), API_TOKEN: token };
    const start = (folder: string) => runProject(folder, built.scripts["start"]!, variables);
    const both = await Promise.all([start(first), start(second)]);
    const before = await listed(both[0].address, path);

    const answered = await Promise.all(
      Array.from({ length: 20 }, (_, index) => created(both[index % 2]!.address, path, record)),
    );
    const ids = answered.map(({ id }) => id);
    expect(new Set(ids).size).toBe(20);
    for (const { address } of both) expect(await listed(address, path)).toHaveLength(before.length + 20);
    await Promise.all(both.map(({ kill }) => kill()));

    const { address } = await start(second);
    expect(await listed(address, path)).toEqual(expect.arrayContaining([...before, ...ids]));
  },
);

async function created(address: string, path: string, record: object): Promise<{ id: number }> {
  const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
  const answer = await fetch(address + path, { method: "POST", body: JSON.stringify(record), headers });
  expect(answer.status).toBe(201);
  return (await answer.json()) as { id: number };
}

/** The ids of all records. */
async function listed(address: string, path: string): Promise<number[]> {
  const answer = await fetch(`${address}${path}?limit=1000`, { headers: { authorization: `Bearer ${token}` } });
  const body = (await answer.json()) as { id: number }[] | Record<string, { id: number }[]>;
  const records = Array.isArray(body) ? body : Object.values(body).find(Array.isArray)!;
  return records.map(({ id }) => id);
}
