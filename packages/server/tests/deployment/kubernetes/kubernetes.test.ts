import { afterEach, beforeEach, expect, test } from "vitest";
import { countingServer, deploymentCalls } from "../../support/deployments/app-calls.ts";
import { eventsOf, untilEnded } from "../../support/engine/follow.ts";
import { createStage } from "../../support/engine/stage.ts";
import { type Stored, startFakeCluster } from "../../support/kubernetes/fake-cluster.ts";
import { until } from "../../support/until.ts";

const cluster = await startFakeCluster();
const { app, play } = await createStage({
  minuteMs: 6_000,
  kubernetes: {
    ...{ kubeconfig: cluster.kubeconfig, namespace: "apps", images: "given" },
    image: "registry.example/{application}:{version}",
    ingress: { host: "{application}.apps.example", class: "nginx", tls_secret: "wildcard" },
    storage: { size: "1Gi" },
    autoscale: { max_replicas: 4 },
  },
});

beforeEach(() => {
  cluster.behave(() => "well");
  cluster.write(() => "");
});
// Whatever a test did, the cluster was given nothing that Kubernetes would refuse.
afterEach(() => expect(cluster.refused).toEqual([]));

const usual = { orchestrator: "kubernetes", health_checks: { path: "/", interval_seconds: 2 } };

async function deploy(
  id: string,
  name: string,
  { scripts = {}, deployment = {}, ...parts }: Record<string, object> = {},
) {
  const document = {
    id,
    deployment: { ...usual, ...deployment },
    scripts: { start: countingServer(name), ...scripts },
  };
  return untilEnded(app, await play({ ...document, ...parts }));
}

const nameOf = (id: string) => id.replace("_", "-");
/** The versions whose pods get the requests of a deployment, each as often as it has pods. */
const behind = (deploymentId: string) =>
  cluster.behind(nameOf(deploymentId)).map(({ metadata }) => metadata.labels!["slipway/release"]);
const ofDeployment = (plural: string, id: string) =>
  cluster.all(plural).filter(({ metadata }) => metadata.labels?.["slipway/deployment"] === id);
const commandOf = ({ spec }: Stored) =>
  (spec as { template: { spec: { containers: { command: string[] }[] } } }).template.spec.containers[0]!.command.at(
    -1,
  )!;

test("a version goes live in the cluster with its migration, secrets, limits and address", async () => {
  process.env["SHOP_KEY"] = "s3cr3t-value-of-the-shop";
  cluster.write(({ metadata }) =>
    metadata.labels?.["slipway/program"] === "migrate" ? "moved with s3cr3t-value-of-the-shop\n" : "",
  );
  const { status, error, deployment, project_id, application_id } = await deploy("shop", "one", {
    scripts: { migrate: "node migrate.js" },
    secrets: { required: ["SHOP_KEY"] },
    resources: { memory_gb: 0.5, cpu_cores: 2 },
  });
  expect({ status, error }).toEqual({ status: "deployed", error: null });
  expect(deployment).toMatchObject({
    url: "https://shop.apps.example",
    usage: "curl https://shop.apps.example",
    status: "live",
  });
  const calls = deploymentCalls(app, application_id);
  const { release, ...shown } = await calls.read();
  expect(shown).toMatchObject({ status: "live", url: "https://shop.apps.example", replicas: 1 });

  const id = deployment!.deployment_id;
  const [program] = ofDeployment("deployments", id) as [Stored];
  expect(program.spec).toMatchObject({
    replicas: 1,
    template: {
      spec: {
        automountServiceAccountToken: false,
        containers: [
          {
            image: `registry.example/shop:${release!.version}`,
            command: ["sh", "-c", 'cd -- "$1" && exec sh -c "$2"', "slipway", ".", countingServer("one")],
            resources: { limits: { cpu: "2000m", memory: String(2 ** 29) } },
            readinessProbe: { httpGet: { path: "/", port: 8080 }, periodSeconds: 2 },
          },
        ],
      },
    },
  });
  expect(behind(id)).toEqual([release!.release_id]);
  expect(cluster.find("ingresses", nameOf(id))?.spec).toMatchObject({ rules: [{ host: "shop.apps.example" }] });
  expect(cluster.find("horizontalpodautoscalers", nameOf(id))?.spec).toMatchObject({
    ...{ minReplicas: 1, maxReplicas: 4, scaleTargetRef: { name: program.metadata.name } },
  });

  // Its job ran before the program was there, and left nothing.
  const order = cluster.applied.map(({ kind }) => kind);
  expect(order.indexOf("Job")).toBeLessThan(order.indexOf("Deployment"));
  expect(ofDeployment("jobs", id)).toEqual([]);
  const logged = await app.call({ url: `/api/v1/projects/${project_id}/logs` });
  expect(logged.body).toContain("moved with");
  expect(logged.body).not.toContain("s3cr3t-value");

  // The value is in the cluster's Secret and nowhere else.
  const [secret] = ofDeployment("secrets", id) as [Stored];
  expect(Buffer.from(secret.data!["SHOP_KEY"]!, "base64").toString()).toBe("s3cr3t-value-of-the-shop");
  const others = cluster.applied.filter(({ kind }) => kind !== "Secret");
  expect(JSON.stringify(others)).not.toMatch(/s3cr3t-value|czNjcjN0/);
  const file = await app.call({ url: `/api/v1/projects/${project_id}/artifacts/deployment_config` });
  expect(file.statusCode).toBe(200);
  expect(file.body).toContain('"kind": "Ingress"');
  expect(file.body).toContain('"secretRef"');
  expect(file.body).not.toMatch(/s3cr3t-value|czNjcjN0|"kind": "Secret"/);
});

test("a new version takes over by a label; rollback, scale, restart, stop, start and rm follow what is asked", {
  tags: "long",
}, async () => {
  const { application_id, deployment } = await deploy("books", "one");
  const id = deployment!.deployment_id;
  const calls = deploymentCalls(app, application_id);
  const first = (await calls.read()).release!.release_id;
  await deploy("books", "two");
  const second = (await calls.read()).release!.release_id;
  expect(second).not.toBe(first);
  expect(behind(id)).toEqual([second]);
  // The version before is warm: going back changes a label and nothing else.
  const pods = ofDeployment("pods", id);
  expect((await calls.command("rollback")).statusCode).toBe(200);
  expect(behind(id)).toEqual([first]);
  expect(ofDeployment("pods", id)).toEqual(pods);

  expect((await calls.command("scale", { replicas: 3 })).statusCode).toBe(200);
  expect(behind(id)).toEqual([first, first, first]);
  const before = ofDeployment("pods", id).map(({ metadata }) => metadata.resourceVersion);
  expect((await calls.command("restart")).statusCode).toBe(200);
  const restarted = cluster.behind(nameOf(id)).map(({ metadata }) => metadata.resourceVersion);
  expect(before).not.toEqual(expect.arrayContaining(restarted));

  expect((await calls.command("stop")).json()).toMatchObject({ status: "stopped" });
  for (const plural of [
    "deployments",
    "pods",
    "services",
    "ingresses",
    "secrets",
    "configmaps",
    "horizontalpodautoscalers",
  ])
    expect(ofDeployment(plural, id)).toEqual([]);
  // Its data stays.
  expect(ofDeployment("persistentvolumeclaims", id)).toHaveLength(1);
  expect((await calls.command("start")).json()).toMatchObject({ status: "live", url: "https://books.apps.example" });
  expect(behind(id)).toEqual([first, first, first]);
  expect((await calls.remove()).statusCode).toBe(204);
  await until(() => ofDeployment("persistentvolumeclaims", id).length === 0);
  expect(ofDeployment("pods", id)).toEqual([]);
});

test("a restart that does not end can be stopped, and one that fails is told of", { tags: "long" }, async () => {
  const { application_id, deployment } = await deploy("again", "one");
  const id = deployment!.deployment_id;
  const calls = deploymentCalls(app, application_id);
  cluster.behave(() => "crashes");
  expect((await calls.command("restart")).json()).toMatchObject({
    status: "unhealthy",
    // Whoever saw it last: the restart, or the watch of what is live.
    reason: expect.stringMatching(/^(?:The program|A copy of it) ended with exit code 7\./),
  });
  cluster.behave(() => "unready");
  const before = ofDeployment("pods", id);
  const restarting = calls.command("restart");
  await until(() => ofDeployment("pods", id)[0] !== before[0]);
  expect((await calls.command("stop")).json()).toMatchObject({ status: "stopped" });
  expect(ofDeployment("pods", id)).toEqual([]);
  await restarting;
});

test("a restart or another copy that fails quotes no secret of the program", { tags: "long" }, async () => {
  const value = "open-sesame-4711";
  await app.call({ method: "PUT", url: "/api/v1/secrets/KEY", payload: { value } });
  const secrets = { provider: "slipway", required: ["KEY"] };
  const { project_id, application_id } = await deploy("quoted", "one", { secrets });
  const calls = deploymentCalls(app, application_id);
  // What runs keeps the value that it was started with.
  await app.call({ method: "PUT", url: "/api/v1/secrets/KEY", payload: { value: "another-value" } });
  cluster.write(() => `cannot sign in with ${value}\n`);
  cluster.behave(() => "crashes");
  await calls.command("restart");
  await calls.command("scale", { replicas: 2 });
  const told = JSON.stringify([await calls.read(), await eventsOf(app, project_id)]);
  expect(told).toContain("ended with exit code 7");
  expect(told).not.toContain(value);
});

test("a version that does not get well is taken away with the reason, and the one before goes on", {
  tags: "long",
}, async () => {
  const { deployment } = await deploy("fails", "one");
  const id = deployment!.deployment_id;
  const live = behind(id);
  const failing = async (name: string, parts = {}) => {
    const { status, error } = await deploy("fails", name, parts);
    expect(status).toBe("failed");
    expect(behind(id)).toEqual(live);
    expect(ofDeployment("deployments", id)).toHaveLength(1);
    return error!.message;
  };
  cluster.behave((owner) => (commandOf(owner).includes("'two'") ? "unpullable" : "well"));
  expect(await failing("two")).toMatch(
    /^Its image registry\.example\/fails:\w+ cannot be had \(ImagePullBackOff\): not found/,
  );
  cluster.behave((owner) => (commandOf(owner).includes("'three'") ? "crashes" : "well"));
  process.env["FAILS_KEY"] = "the-key-that-is-secret";
  cluster.write(() => "starting\nno such table, with the-key-that-is-secret\n");
  const crashed = await failing("three", { secrets: { required: ["FAILS_KEY"] } });
  expect(crashed).toMatch(/^scripts\.start ended with exit code 7\. Last output: no such table, with \S+$/);
  expect(crashed).not.toContain("the-key-that-is-secret");
  cluster.behave((owner) => (owner.kind === "Job" ? "crashes" : "well"));
  cluster.write(() => "no such column\n");
  expect(await failing("four", { scripts: { migrate: "node migrate.js" } })).toMatch(
    /^scripts\.migrate ended with exit code 9\. Last output: no such column$/,
  );
});

test("rolling and canary share the address by copies; a canary that ends is taken back", { tags: "long" }, async () => {
  const { application_id, deployment } = await deploy("parts", "one");
  const id = deployment!.deployment_id;
  const calls = deploymentCalls(app, application_id);
  await calls.command("scale", { replicas: 2 });
  const first = (await calls.read()).release!.release_id;
  const rolled = await deploy("parts", "two", { deployment: { strategy: "rolling" } });
  expect(rolled).toMatchObject({ status: "deployed" });
  const second = (await calls.read()).release!.release_id;
  await until(() => behind(id).length === 2);
  expect(behind(id)).toEqual([second, second]);

  // One in ten pods is the canary's: it ends, and loses its share.
  const canary = deploy("parts", "three", {
    deployment: { strategy: "canary", canary: { percent: 10, minutes: 1000 } },
  });
  await until(() => behind(id).length === 10);
  const counts = Map.groupBy(behind(id), (releaseId) => releaseId === second);
  expect([counts.get(true)?.length, counts.get(false)?.length]).toEqual([9, 1]);
  expect(behind(id)).not.toContain(first);
  cluster.behave((owner) => (owner.kind === "Deployment" && commandOf(owner).includes("'three'") ? "crashes" : "well"));
  cluster.recontrol();
  expect(await canary).toMatchObject({ status: "failed" });
  // The attempts after it do not even start.
  const errors = (await calls.read()).releases.map(({ error }) => error);
  expect(errors).toContain("The canary was taken back: A copy of it ended with exit code 7.");
  await until(() => behind(id).length === 2);
  expect(behind(id)).toEqual([second, second]);
});

test("what happens in the cluster is told, also after the stream of changes was cut", { tags: "long" }, async () => {
  const { project_id, application_id, deployment } = await deploy("told", "one");
  const calls = deploymentCalls(app, application_id);
  const names = async () =>
    (await eventsOf(app, project_id)).map(({ event }) => event).filter((name) => name.startsWith("deployment."));
  cluster.cutWatches();
  const isOwn = ({ metadata }: Stored) => metadata.labels?.["slipway/deployment"] === deployment!.deployment_id;
  cluster.behave((owner) => (isOwn(owner) ? "crashes" : "well"));
  cluster.recontrol();
  await until(async () => (await names()).length === 1);
  expect(await calls.read()).toMatchObject({ status: "unhealthy", reason: "A copy of it ended with exit code 7." });
  cluster.behave(() => "well");
  cluster.recontrol();
  await until(async () => (await names()).length === 2);
  expect(await names()).toEqual(["deployment.unhealthy", "deployment.recovered"]);
});

test("a document cannot take the host of another's deployment, nor more than a name", { tags: "long" }, async () => {
  const { token } = await app.userToken("svc:user");
  await deploy("mine", "one");
  const theirs = await play({ id: "mine", deployment: usual, scripts: { start: countingServer("two") } }, undefined, {
    token,
  });
  const ended = await until(async () => {
    const { status, error } = (await app.call({ url: `/api/v1/projects/${theirs}` })).json<{
      status: string;
      error: { message: string } | null;
    }>();
    return status === "failed" || status === "deployed" ? { status, error } : undefined;
  });
  expect(ended).toMatchObject({
    status: "failed",
    error: { message: expect.stringContaining("mine.apps.example belongs to something else") },
  });
  const odd = await deploy('$(id)"; ü\n- kind: Pod', "one");
  expect(odd).toMatchObject({ status: "deployed", deployment: { url: "https://id-kind-pod.apps.example" } });
});
