import { execFileSync } from "node:child_process";
import { createHmac } from "node:crypto";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { readGitRemotes } from "../../../src/features/git-hooks/index.ts";
import { readProject, submit } from "../../support/engine/follow.ts";
import { documentOf } from "../../support/engine/stage.ts";
import { fromGitHub, makeHookSecret } from "../../support/hook-calls.ts";
import { createTestApp } from "../../support/test-app.ts";

const app = await createTestApp();
const folder = await mkdtemp(join(tmpdir(), "slipway-hooks-"));
afterAll(() => rm(folder, { recursive: true, force: true }));

const environments = {
  staging: { branch_trigger: "main" },
  preview: { branch_trigger: "main" },
  production: { branch_trigger: "release" },
};
const document = (parts: object = {}) => documentOf({ id: "shop", environments, ...parts });
const project = await readProject(app, await submit(app, document()));
const { application_id: id } = project;
const { secret, path } = await makeHookSecret(app, id);

/** The application's repository, as its owners push it. */
const repository = join(folder, "shop");
const git = (...args: string[]) => execFileSync("git", ["-C", repository, ...args], { stdio: "pipe" });
await mkdir(repository);
git("init", "--quiet", "--initial-branch=main");
async function commit(branch: string, content: string): Promise<void> {
  git("checkout", "--quiet", "-B", branch);
  await mkdir(join(repository, "deploy"), { recursive: true });
  await writeFile(join(repository, "deploy", "slipway.yaml"), content);
  git("add", ".");
  git("-c", "user.name=Ada", "-c", "user.email=ada@example.com", "commit", "--quiet", "--allow-empty", "-m", "Change");
}
await commit("other", documentOf({ id: "another", environments: { all: { branch_trigger: "other" } } }));
await commit("broken", "id: [");
await commit("main", document({ description: "As it was pushed." }));

const remote = { application: id, url: `file://${repository}`, path: "deploy/slipway.yaml" };
// The operator names the remote once the application is known.
const node = await app.anotherNode({ isIdle: true, gitRemotes: { declared: [remote], file: "slipway.yaml" } });
type Sent = Omit<ReturnType<typeof fromGitHub>, "headers"> & { readonly headers: Record<string, string> };
const send = async (delivery: Sent, at = path) => {
  const answer = await node.http.inject({ ...delivery, url: at });
  return {
    status: answer.statusCode,
    ...answer.json<{ result: string; reason: string; detail: string; projects: Started[] }>(),
  };
};
interface Started {
  readonly project_id: string;
  readonly environment: string;
}
const push = (branch: string, more: object = {}) => ({ ref: `refs/heads/${branch}`, after: "1".repeat(40), ...more });

describe("a push", () => {
  test("starts a run for each environment that the branch triggers, of the document as pushed, once", async () => {
    // Addresses in a delivery are anybody's: nothing is fetched from there.
    const elsewhere = { repository: { clone_url: "file:///etc", url: "http://169.254.169.254/" } };
    const delivery = fromGitHub(secret, push("main", elsewhere));
    const { status, result, projects } = await send(delivery);
    expect([status, result, projects.map(({ environment }) => environment)]).toEqual([
      202,
      "started",
      ["staging", "preview"],
    ]);
    const started = await readProject(app, projects[0]!.project_id);
    expect(started).toMatchObject({ application_id: id, environment: "staging" });
    const spec = await app.call({ url: `/api/v1/projects/${started.project_id}/spec` });
    expect(spec.payload).toContain("As it was pushed.");
    expect(await send(delivery)).toMatchObject({ status: 200, result: "duplicate", projects: [] });
    // The signature does not cover the headers: whoever recorded a delivery may give it another name.
    const renamed = { ...delivery.headers, "x-github-delivery": "delivery-9" };
    expect(await send({ ...delivery, headers: renamed })).toMatchObject({ result: "duplicate" });
    const again = await Promise.all(
      [1, 2].map(() => send(fromGitHub(secret, push("main"), { delivery: "delivery-2" }))),
    );
    expect(again.map((one) => one.result).toSorted()).toEqual(["duplicate", "started"]);
    expect((await readdir(app.dataFolder)).filter((name) => name.startsWith("fetch-"))).toEqual([]);
    const audit = app.db.selectFrom("audit").select("detail").where("action", "=", "hook.git").where("target", "=", id);
    expect((await audit.execute()).length).toBe(2);
  });

  test("is taken from Gitea and GitLab as well", async () => {
    const body = JSON.stringify(push("main", { total_commits: 1 }));
    const signature = createHmac("sha256", secret).update(body).digest("hex");
    const gitea = { "x-gitea-event": "push", "x-gitea-delivery": "tea-1", "x-gitea-signature": signature };
    expect(await send({ method: "POST", headers: gitea, payload: body })).toMatchObject({ result: "started" });
    const gitlab = { "x-gitlab-event": "Push Hook", "x-gitlab-event-uuid": "lab-1", "x-gitlab-token": secret };
    expect(await send({ method: "POST", headers: gitlab, payload: body })).toMatchObject({ result: "started" });
    const form = new URLSearchParams({ payload: body }).toString();
    const signed = `sha256=${createHmac("sha256", secret).update(form).digest("hex")}`;
    const headers = {
      ...{ "content-type": "application/x-www-form-urlencoded", "x-github-event": "push" },
      ...{ "x-github-delivery": "form-1", "x-hub-signature-256": signed },
    };
    expect(await send({ method: "POST", headers, payload: form })).toMatchObject({ result: "started" });
  });

  test("that starts nothing says why", async () => {
    const of = (payload: object, event = "push") =>
      send(fromGitHub(secret, payload, { event, delivery: crypto.randomUUID() }));
    expect(await of({ zen: "x" }, "ping")).toMatchObject({ status: 200, result: "ignored", projects: [] });
    expect((await of(push("main", { ref: "refs/tags/v1" }))).reason).toBe("Only pushes to branches start runs.");
    expect((await of(push("main", { after: "0".repeat(40) }))).reason).toBe("The branch 'main' was deleted.");
    git("branch", "--force", "feature", "main");
    expect((await of(push("feature"))).reason).toBe("No environment has the branch_trigger 'feature'.");
    for (const branch of ["--upload-pack=touch /tmp/x", "a..b", "a:refs/heads/main", "a b", "../x", "\u0000"])
      expect((await of(push(branch))).reason).toBe("The branch has a name that is not served.");
    expect(await of(push("gone"))).toMatchObject({ status: 409 });
    expect((await of(push("other"))).detail).toBe("The document there is 'another', and not 'shop'.");
    expect(await of(push("broken"))).toMatchObject({ status: 400 });
    expect(await of({ nothing: true })).toMatchObject({ status: 422 });
  });
});

describe("who does not know the secret", () => {
  test("starts nothing, and does not learn which applications exist", async () => {
    const { payload, headers } = fromGitHub(secret, push("main"), { delivery: "forged" });
    const forged = [
      { headers: { ...headers, "x-hub-signature-256": `sha256=${"0".repeat(64)}` }, payload },
      { headers: { "x-github-event": "push", "x-github-delivery": "forged" }, payload },
      { headers, payload: payload.replace("main", "release") },
      { headers: { "x-gitlab-event": "Push Hook", "x-gitlab-token": `${secret}x` }, payload },
      { headers: { "x-gitlab-event": "Push Hook", "x-gitlab-token": "" }, payload },
    ];
    const answers = await Promise.all(forged.map((one) => send({ method: "POST", ...one })));
    const unknown = await send({ method: "POST", headers, payload }, `/api/v1/hooks/git/app_${"0".repeat(20)}`);
    expect(new Set([...answers, unknown].map(({ status, detail }) => `${status} ${detail}`)).size).toBe(1);
    expect(unknown.status).toBe(404);
    expect(
      await app.db.selectFrom("hook_deliveries").select("delivery_id").where("delivery_id", "=", "forged").execute(),
    ).toEqual([]);
  });

  test("does not after the secret was made anew, nor with more than a push is long", async () => {
    const other = await readProject(app, await submit(app, documentOf({ id: "rotated" })));
    const first = await makeHookSecret(app, other.application_id);
    const next = await makeHookSecret(app, other.application_id);
    const ping = (value: string) => send(fromGitHub(value, {}, { event: "ping" }), first.path);
    expect((await ping(first.secret)).status).toBe(404);
    expect((await ping(next.secret)).status).toBe(200);
    // Without a remote of the operator's, nothing is fetched from anywhere.
    expect((await send(fromGitHub(next.secret, push("main")), first.path)).detail).toContain("git_remotes");
    const payload = "x".repeat(6 * 1024 * 1024);
    expect((await send({ method: "POST", headers: {}, payload })).status).toBe(413);
    const stored = await app.db.selectFrom("hook_secrets").select("secret").execute();
    expect(stored.some((row) => row.secret.toString("utf8").includes(next.secret))).toBe(false);
  });
});

test("the config file's remotes are checked, all problems at once", () => {
  expect(readGitRemotes(undefined, "slipway.yaml")).toEqual([]);
  const wrong = [{ application: "shop", url: "ssh://git@x/y", path: "../up", token_env: "SLIPWAY_X" }];
  expect(() => readGitRemotes(wrong, "slipway.yaml")).toThrow(/application.*\n.*url.*\n.*path.*\n.*token_env/);
  expect(readGitRemotes([remote], "slipway.yaml")).toEqual([
    { applicationId: id, url: remote.url, path: remote.path, tokenEnv: undefined },
  ]);
});
