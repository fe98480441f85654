import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Approval, Deployment, Promotion, Release } from "@slipway/contract";
import { sql } from "kysely";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { Supervisor, SupervisorGone } from "../../../src/deployment/index.ts";
import { deploymentCalls, read } from "../../support/deployments/app-calls.ts";
import {
  approvalsOf,
  command,
  decide,
  eventsOf,
  readProject,
  refusalOf,
  untilEnded,
} from "../../support/engine/follow.ts";
import { createStage } from "../../support/engine/stage.ts";
import { until } from "../../support/until.ts";

const { app, play } = await createStage();
const { call } = app;
const node = process.execPath;

/** Answers with what it was built as, where it runs, a setting, and how often that was asked there. It litters its folder. */
const program = `const fs=require('fs'),e=process.env,file=e.SLIPWAY_DATA_DIR+'/count';fs.writeFileSync('left-by-'+e.SLIPWAY_ENVIRONMENT,'');require('http').createServer((q,s)=>{if(q.url==='/count')fs.appendFileSync(file,'x');s.end(JSON.stringify({build:fs.readFileSync('build-id','utf8'),in:e.SLIPWAY_ENVIRONMENT,version:e.SLIPWAY_VERSION,count:fs.existsSync(file)?fs.readFileSync(file).length:0,litter:fs.readdirSync('.').filter((n)=>n.startsWith('left-by-'))}))}).listen(e.PORT,e.HOST)`;
const scripts = {
  build: `${node} -e "require('fs').writeFileSync('build-id', require('crypto').randomUUID())"`,
  start: `${node} -e "${program}"`,
};

interface Answer {
  readonly build: string;
  readonly in: string;
  readonly version: string;
  readonly count: number;
  readonly litter: readonly string[];
}

const ask = async ({ url }: { url: string | null }) => JSON.parse(await read(url!, "/count")) as Answer;
const promotionsOf = async (id: string) =>
  (await call({ url: `/api/v1/projects/${id}/promotions` })).json<{ promotions: Promotion[] }>().promotions;
const untilPromoted = (id: string, environment: string, status: Promotion["status"]) =>
  until(async () => (await promotionsOf(id)).find((one) => one.environment === environment && one.status === status));
const eventNames = async (id: string) => (await eventsOf(app, id)).map(({ event }) => event);
const untilAsked = (id: string) =>
  until(async () => (await approvalsOf(app, id)).find(({ status }) => status === "pending"));

async function approver(): Promise<{ name: string; token: string }> {
  const { userId, token } = await app.userToken("svc:user");
  const { name } = await app.db.selectFrom("users").select("name").where("id", "=", userId).executeTakeFirstOrThrow();
  return { name, token };
}

const ada = await approver();
const environments = {
  dev: { auto_deploy: true },
  staging: { auto_deploy: true },
  production: { approvers: [ada.name], guardrails: { deployment: { rollback_timeout_minutes: 1 } } },
};

/** Each deploys several versions: a busy machine takes its time. */
const timeout = 300_000;

// One story: the long run needs what comes before its end.
describe("a result in three environments", { timeout, tags: "soak" }, async () => {
  const project = await untilEnded(app, await play({ id: "shop", scripts, environments }));
  const { project_id: id, application_id } = project;
  const calls = (environment: string) => deploymentCalls(app, application_id, environment);
  const live = async (environment: string) => (await calls(environment).read()) as Deployment;

  test("goes by itself to those that want it, in their order; the status is that of the first", async () => {
    expect(project).toMatchObject({ status: "deployed", error: null });
    await untilPromoted(id, "staging", "live");
    const told = (await eventsOf(app, id)).filter(({ event }) => /deployed|deployment\./.test(event));
    const { deployment_id, url } = await live("staging");
    expect(told.map(({ event, data }) => [event, data["environment"]])).toEqual([
      ["project.deployed", "dev"],
      ["deployment.completed", "staging"],
    ]);
    const version = project.deployment!.version;
    expect(told[1]!.data).toEqual({ deployment_id, environment: "staging", url, version, usage: `curl ${url}` });
    expect((await readProject(app, id)).status).toBe("deployed");
    const report = await call({ url: `/api/v1/projects/${id}/artifacts/deployment/staging/report.json` });
    expect(report.json()).toMatchObject({ environment: "staging", is_live: true, previous_version: null });
  });

  test("waits for the approver that the document names; who is not named cannot decide", async () => {
    const answer = await command(app, id, "deploy", { environment: "production" });
    expect([answer.statusCode, answer.json<Promotion>()]).toEqual([
      202,
      expect.objectContaining({ environment: "production", status: "waiting_for_approval", url: null }),
    ]);
    const asked = await untilAsked(id);
    expect(asked).toMatchObject({ gate: "promotion", environment: "production", approvers: [ada.name] });
    expect((await decide(app, asked, { decision: "approve" })).statusCode).toBe(403);
    // Asking again asks nobody twice.
    expect((await command(app, id, "deploy", { environment: "production" })).json()).toEqual(answer.json());
    expect((await approvalsOf(app, id)).filter(({ gate }: Approval) => gate === "promotion")).toHaveLength(1);
    expect((await call({ method: "DELETE", url: `/api/v1/projects/${id}` })).statusCode).toBe(409);
    expect((await decide(app, asked, { decision: "approve" }, ada.token)).statusCode).toBe(200);
    await untilPromoted(id, "production", "live");
    // Also then the project itself is where it went first.
    expect(await readProject(app, id)).toMatchObject({ status: "deployed", deployment: { environment: "dev" } });
  });

  test("is the very same in all three, at addresses and with data of their own", async () => {
    const deployed = await Promise.all(["dev", "staging", "production"].map(live));
    expect(new Set(deployed.map(({ url }) => url)).size).toBe(3);
    const digests = deployed.map(({ release }) => release!.digest);
    expect(digests[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(new Set(digests).size).toBe(1);
    await ask(deployed[0]!);
    const answers = await Promise.all(deployed.map(ask));
    expect(answers.map(({ in: where, count }) => [where, count])).toEqual([
      ["dev", 2],
      ["staging", 1],
      ["production", 1],
    ]);
    expect(new Set(answers.map(({ build }) => build)).size).toBe(1);
    expect(new Set(answers.map(({ version }) => version)).size).toBe(1);
    // What the program wrote into its folder elsewhere is no part of the result.
    expect(answers.map(({ litter }) => litter)).toEqual([["left-by-dev"], ["left-by-staging"], ["left-by-production"]]);
  });

  test("goes nowhere twice", async () => {
    const before = await eventNames(id);
    const again = await command(app, id, "deploy", { environment: "production" });
    expect(again.json()).toMatchObject({ status: "live", url: (await live("production")).url, error: null });
    expect(await eventNames(id)).toEqual(before);
    const { releases } = await calls("production").read();
    expect(releases).toHaveLength(1);
  });

  test("leaves production as it was if the approver says no", { tags: "long" }, async () => {
    const { url } = await live("production");
    const next = await untilEnded(app, await play({ id: "shop", scripts, environments }));
    await untilPromoted(next.project_id, "staging", "live");
    await command(app, next.project_id, "deploy", { environment: "production" });
    const asked = await untilAsked(next.project_id);
    expect((await decide(app, asked, { decision: "deny", comment: "Not today." }, ada.token)).statusCode).toBe(200);
    const failed = await untilPromoted(next.project_id, "production", "failed");
    expect(failed.error).toEqual({ code: "approval_denied", message: "Not today." });
    const [told] = (await eventsOf(app, next.project_id)).filter(({ event }) => event === "deployment.failed");
    const error = { code: "approval_denied", message: "Not today." };
    expect(told!.data).toEqual({ environment: "production", version: expect.any(String), error });
    expect((await live("production")).release!.project_id).toBe(id);
    expect((await ask({ url })).in).toBe("production");
    expect((await live("staging")).release!.project_id).toBe(next.project_id);
    expect((await readProject(app, next.project_id)).status).toBe("deployed");
    // The first project's version can go back there, although another one came after it.
    await command(app, id, "deploy", { environment: "staging" });
    await until(async () => (await live("staging")).release?.project_id === id);
  });
});

describe("what is refused", { timeout }, () => {
  test("an environment that the document does not have, and a project that is not live", async () => {
    const id = await play({ id: "refused", scripts: { start: "exit 1" }, environments });
    await untilEnded(app, id);
    expect(refusalOf(await command(app, id, "deploy", { environment: "moon" }))).toEqual([
      404,
      "The document has no environment 'moon'. It has: dev, staging, production, default.",
    ]);
    expect(refusalOf(await command(app, id, "deploy", { environment: "staging" }))).toEqual([
      409,
      "Only what is live can go to another environment; this project is in failed.",
    ]);
  });

  test("an environment that promises more than the result holds; those after it are not tried", {
    tags: "long",
  }, async () => {
    const strict = {
      dev: { auto_deploy: true },
      staging: { auto_deploy: true, guardrails: { tests_required: true } },
      production: { auto_deploy: true },
    };
    const project = await untilEnded(app, await play({ id: "strict", scripts, environments: strict }));
    const failed = await untilPromoted(project.project_id, "production", "failed");
    expect(failed.error).toMatchObject({ code: "skipped", message: expect.stringContaining("'staging'") });
    const [staging] = await promotionsOf(project.project_id);
    expect(staging).toMatchObject({ environment: "staging", status: "failed" });
    expect(staging!.error!.message).toContain("tests");
    expect((await readProject(app, project.project_id)).status).toBe("deployed");
    const { releases } = (await call({ url: `/api/v1/projects/${project.project_id}/deployments` })).json<{
      releases: Release[];
    }>();
    expect(releases).toHaveLength(1);
  });

  test("files in which the build has left a secret of one environment go to no other", { tags: "long" }, async () => {
    const payload = { value: "a-secret-of-dev-0815" };
    expect((await call({ method: "PUT", url: "/api/v1/secrets/SHOP_KEY", payload })).statusCode).toBeLessThan(300);
    const build = "printf %s $SHOP_KEY > key.js";
    const secrets = { provider: "slipway", required: ["SHOP_KEY"] };
    const dev = { auto_deploy: true };
    const parts = { id: "leaky", secrets, scripts: { ...scripts, build: `${scripts.build} && ${build}` } };
    const project = await untilEnded(app, await play({ ...parts, environments: { dev, staging: dev } }));
    expect(project.status).toBe("deployed");
    const { error } = await untilPromoted(project.project_id, "staging", "failed");
    expect(error!.message).toContain("are not kept here");
    const logs = await call({ url: `/api/v1/projects/${project.project_id}/logs?service=deploy` });
    expect(logs.payload).toContain("They hold the value of a secret of this environment.");
  });

  test("a version that does not start leaves what is live there; a run for one environment goes to no other", {
    tags: "long",
  }, async () => {
    const parts = {
      id: "broken",
      scripts,
      environments: { dev: { auto_deploy: true }, staging: { auto_deploy: true } },
    };
    const first = await untilEnded(app, await play(parts, undefined, { query: "?environment=staging" }));
    expect(await promotionsOf(first.project_id)).toEqual([]);
    const staging = { auto_deploy: true, scripts: { start: "echo no such table && exit 7" } };
    const next = await untilEnded(app, await play({ ...parts, environments: { ...parts.environments, staging } }));
    const failed = await untilPromoted(next.project_id, "staging", "failed");
    expect(failed.error!.message).toContain("exit code 7");
    const deployed = await deploymentCalls(app, first.application_id, "staging").read();
    expect(deployed).toMatchObject({ status: "live", release: { project_id: first.project_id } });
    const report = await call({ url: `/api/v1/projects/${next.project_id}/artifacts/deployment/staging/report.json` });
    expect(report.json()).toMatchObject({ is_live: false, error: expect.stringContaining("exit code 7") });
  });
});

test("a promotion whose supervisor is killed meanwhile goes on with the next one", {
  tags: "long",
  timeout,
}, async () => {
  const dev = { auto_deploy: true };
  const project = await untilEnded(app, await play({ id: "kept", scripts, environments: { dev, staging: {} } }));
  const prepare = vi.spyOn(Supervisor.prototype, "prepare");
  onTestFinished(() => prepare.mockRestore());
  prepare.mockRejectedValueOnce(new SupervisorGone("The supervisor is gone."));
  await command(app, project.project_id, "deploy", { environment: "staging" });
  const ended = await until(async () =>
    (await promotionsOf(project.project_id)).find(({ status }) => status === "live" || status === "failed"),
  );
  expect(ended).toMatchObject({ environment: "staging", status: "live", error: null });
  const { releases } = await deploymentCalls(app, project.application_id, "staging").read();
  expect(releases.map(({ status }) => status)).toEqual(["live", "failed"]);
});

test("a promotion whose node loses it is done again, and told of once", { timeout, tags: "long" }, async () => {
  const folder = await mkdtemp(join(tmpdir(), "slipway-promotion-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const migrate = `echo once >> ${folder}/migrations; while [ ! -e ${folder}/go ]; do sleep 0.02; done`;
  const staging = { auto_deploy: true, scripts: { migrate } };
  const id = await play({ id: "lost", scripts, environments: { dev: { auto_deploy: true }, staging } });
  const migrations = async () => (await readFile(`${folder}/migrations`, "utf8").catch(() => "")).match(/once/g);
  await until(async () => (await migrations())?.length === 1);
  // As if the node had been silent for too long: whoever claims the job next must find what was begun.
  await sql`
      update jobs set claimed_by = null, claimed_at = null, fence = fence + 1, losses = 1, available_at = now()
      where group_id = ${id} and kind = 'promote'`.execute(app.db);
  await until(async () => (await migrations())?.length === 2);
  await writeFile(`${folder}/go`, "");
  await untilPromoted(id, "staging", "live");
  expect((await eventNames(id)).filter((name) => name.startsWith("deployment."))).toEqual(["deployment.completed"]);
  const { application_id } = await readProject(app, id);
  const { releases } = await deploymentCalls(app, application_id, "staging").read();
  expect(releases.map(({ status }) => status)).toEqual(["live", "failed"]);
  expect(await app.db.selectFrom("jobs").select("id").where("group_id", "=", id).execute()).toEqual([]);
});

test("a promotion that is done again after its source was removed says so", { timeout, tags: "long" }, async () => {
  const folder = await mkdtemp(join(tmpdir(), "slipway-promotion-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const migrate = `echo once >> ${folder}/migrations; while [ ! -e ${folder}/go ]; do sleep 0.02; done`;
  const staging = { auto_deploy: true, scripts: { migrate } };
  const id = await play({ id: "sourceless", scripts, environments: { dev: { auto_deploy: true }, staging } });
  await until(() => readFile(`${folder}/migrations`, "utf8").catch(() => undefined));
  const { application_id, deployment } = await readProject(app, id);
  expect((await deploymentCalls(app, application_id, "dev").remove()).statusCode).toBe(204);
  // As if the node had been killed.
  await sql`
      update jobs set claimed_by = null, claimed_at = null, fence = fence + 1, losses = 1, available_at = now()
      where group_id = ${id} and kind = 'promote'`.execute(app.db);
  const { error } = await untilPromoted(id, "staging", "failed");
  await writeFile(`${folder}/go`, "");
  const { version } = deployment!;
  expect(error!.message).toBe(
    `The deployment that version ${version} was built for was removed, and its files with it. Run the document again.`,
  );
});
