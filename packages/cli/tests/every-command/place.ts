import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { type Service, startService, usedDataFolder } from "../../../server/tests/support/run-service.ts";
import { helloDocument } from "../run-slipway.ts";

/** What the commands find: a service with a deployed application, a receiver of webhooks, and a folder. */
export interface Place {
  readonly service: Service;
  /** A folder of the person's own, which is also their home. */
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  /** Where webhooks go. */
  readonly receiver: string;
  /** A new project that waits for somebody to approve its plan. */
  waiting(): Promise<string>;
  /** A new project that failed, because no agent can build it. */
  failed(): Promise<string>;
  /** The newest project that is deployed. */
  deployed(): Promise<string>;
  create(path: string, body: unknown): Promise<Readonly<Record<string, string>>>;
  read<T>(path: string): Promise<T>;
}

const program = "require('http').createServer((q,s)=>s.end('hello')).listen(process.env.PORT,process.env.HOST)";

/** Software of one line, for two environments. What is around it is of the kind that costs least to build and to verify. */
const shop = JSON.stringify({
  ...{ spec_version: "1.0.0", id: "shop", name: "Shop", description: "Says hello.", outcome_type: "documentation" },
  ...{ stack: {}, acceptance: {} },
  scripts: { build: "true", test: "true", start: `${process.execPath} -e "${program}"` },
  environments: { staging: {}, production: {} },
});

export async function openPlace(): Promise<Place> {
  // A quick machine makes more calls with one token than a person may.
  const env = { SLIPWAY_REQUESTS_PER_MINUTE: "6000" };
  const service = await startService(await usedDataFolder(), ["--allow-local-webhooks"], { env });
  const folder = mkdtempSync(join(tmpdir(), "slipway-every-command-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "shop.yaml"), shop);
  mkdirSync(join(folder, "bin"));
  // Nobody sits here: an address that would be opened is only accepted.
  writeFileSync(join(folder, "bin/xdg-open"), "#!/bin/sh\n", { mode: 0o755 });
  /** What is refused would be waited for without end. */
  const call: Service["call"] = async (path, init) => {
    const answer = await service.call(`/api/v1${path}`, init);
    if (!answer.ok) throw new Error(`${init?.method ?? "GET"} ${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  };
  const read = async <T>(path: string) => (await call(path)).json() as Promise<T>;
  const create: Place["create"] = async (path, body) => {
    const json = { "content-type": "application/json" };
    const answer = await call(path, { method: "POST", headers: json, body: JSON.stringify(body) });
    return (await answer.json()) as Record<string, string>;
  };
  const submit = async (query: string) => {
    const headers = { "content-type": "application/yaml" };
    const answer = await call(`/projects${query}`, { method: "POST", headers, body: helloDocument });
    return ((await answer.json()) as { project_id: string }).project_id;
  };
  const until = async (id: string, isSo: (project: { status: string; waiting_for: string | null }) => boolean) => {
    while (!isSo(await read(`/projects/${id}`))) {
      const wait = { prefer: "wait=20" };
      await (await call(`/projects/${id}`, { headers: wait })).text();
    }
    return id;
  };
  return {
    ...{ service, folder, read, create, receiver: await receive() },
    env: {
      ...{ HOME: folder, SLIPWAY_DATA: service.data, SLIPWAY_CONTEXTS: join(folder, "contexts.json") },
      PATH: `${join(folder, "bin")}:${dirname(process.execPath)}:/usr/bin:/bin`,
    },
    waiting: async () => until(await submit("?review_plan=true"), ({ waiting_for }) => waiting_for === "approval"),
    failed: async () => until(await submit(""), ({ status }) => status === "failed"),
    deployed: async () => {
      const { projects } = await read<{ projects: { project_id: string }[] }>("/projects?status=deployed&limit=1");
      return projects[0]!.project_id;
    },
  };
}

/** Accepts whatever is posted. */
async function receive(): Promise<string> {
  const server = createServer((request, response) => request.resume().on("end", () => response.end()));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
