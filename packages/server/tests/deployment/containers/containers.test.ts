// @module-tag soak
import { readdirSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Project } from "@slipway/contract";
import pino from "pino";
import { describe, expect, onTestFinished, test } from "vitest";
import { noteEngine } from "../../../src/deployment/containers/known-engines.ts";
import { ContainerStarter, Containers, Supervisor, SupervisorProcess } from "../../../src/deployment/index.ts";
import type { ReleasePlan } from "../../../src/deployment/supervisor/release-plan.ts";
import { programToWrite, writingAgent } from "../../support/agents/writing-agent.ts";
import { ampleLimits } from "../../support/ample-limits.ts";
import { openEngine } from "../../support/containers/engine.ts";
import { KillingEngine } from "../../support/containers/killing-engine.ts";
import { startRegistry } from "../../support/containers/registry.ts";
import { endProcessesIn, signal } from "../../support/database/run-starter.ts";
import { ask, program, programFolder } from "../../support/deployment/programs.ts";
import { supervisorOf } from "../../support/deployment/supervisor-of.ts";
import { countingServer, deploymentCalls, read } from "../../support/deployments/app-calls.ts";
import { untilEnded } from "../../support/engine/follow.ts";
import { createStage, documentOf } from "../../support/engine/stage.ts";
import { entry, type Service, startService, usedDataFolder } from "../../support/run-service.ts";
import { sandboxFor } from "../../support/sandboxes.ts";
import { until } from "../../support/until.ts";

const isLong = process.env["SLIPWAY_LONG"] === "1";

const killed = {
  id: "killed",
  requirements: { agents: { implementer: { capabilities: ["scripted"] } } },
  // No version stays warm beside the next one: one container is all that there may be.
  deployment: { orchestrator: "docker", strategy: "recreate", health_checks: { path: "/health", interval_seconds: 1 } },
};

async function ended(service: Service, id: string): Promise<Project> {
  return until(async () => {
    const project = (await (await service.call(`/api/v1/projects/${id}`)).json()) as Project;
    return project.status === "deployed" || project.status === "failed" ? project : undefined;
  });
}

const log = pino({ level: "silent" });
const opened = openEngine();
const missing = "missing" in opened ? opened.missing : undefined;
if (missing !== undefined) console.warn(`tests with containers are skipped: ${missing}`);

describe.skipIf("missing" in opened)(`in containers${missing ? ` (${missing})` : ""}`, async () => {
  if ("missing" in opened) return;
  const { settings, baseImage, call } = opened;
  const key = `k3y-that "nobody" 'sees' $HOME #=\\ `;
  process.env["SHOP_KEY"] = key;
  const { app, play } = await createStage({ sandbox: "auto", containers: settings });

  const lines = (text: string) => text.split("\n").filter((line) => line !== "");
  const containersOf = (deploymentId: string, ...options: string[]) =>
    lines(
      call("ps", "--all", "--quiet", "--no-trunc", "--filter", `label=slipway.deployment=${deploymentId}`, ...options),
    );
  const imagesOf = (deploymentId: string) =>
    lines(call("images", "--format", "{{.Repository}}:{{.Tag}}")).filter((name) => name.includes(deploymentId));
  const artifactOf = async (projectId: string, path: string) =>
    (await app.call({ url: `/api/v1/projects/${projectId}/artifacts/deployment/${path}` })).body;

  /** Deploys a document of these parts, whose agent writes these files. */
  async function deploy(parts: object, files: Readonly<Record<string, string>> = {}) {
    const id = await play({ deployment: { orchestrator: "docker" }, ...parts }, async ({ folder, task }) => {
      if (task.role === "planner") return undefined;
      for (const [path, text] of Object.entries(files)) {
        await mkdir(dirname(join(folder, path)), { recursive: true });
        await writeFile(join(folder, path), text);
      }
      return undefined;
    });
    const project = await untilEnded(app, id);
    expect(project).toMatchObject({ status: "deployed", error: null });
    const url = project.deployment!.url!;
    return { project, url, dep: project.deployment!.deployment_id, app: deploymentCalls(app, project.application_id) };
  }

  const inContainer = ({ programs, ...plan }: ReleasePlan): ReleasePlan => {
    const container = { engine: settings.engine!, image: baseImage, startsItself: false };
    return { ...plan, programs: programs.map((program) => ({ ...program, container })) };
  };
  const start = (name: string) => countingServer(name, "node");
  const secrets = { provider: "environment", required: ["SHOP_KEY"] };
  // Serves several tests, in their order.
  const shop = await deploy({ id: "shop", scripts: { start: start("one") }, secrets });

  test("a version runs with an image of its own, without rights, and its secrets are nowhere to be read", async () => {
    const [id, ...others] = containersOf(shop.dep);
    expect(others).toEqual([]);
    expect(await read(shop.url, "/count")).toBe("1");
    const [{ Config, HostConfig }] = JSON.parse(call("inspect", id!));
    expect(HostConfig).toMatchObject({ ReadonlyRootfs: true, Memory: 2 ** 31, MemorySwap: 2 ** 31, PidsLimit: 8192 });
    const rights = readFileSync(`/proc/${call("inspect", "--format", "{{.State.Pid}}", id!)}/status`, "utf8");
    expect(rights).toMatch(/^CapBnd:\t0+$/m);
    expect(rights).toMatch(/^NoNewPrivs:\t1$/m);
    expect(Config.User).not.toMatch(/^0:/);
    expect(Config.Env).toEqual(expect.arrayContaining(["SLIPWAY_DATA_DIR=/data", `SHOP_KEY=${key}`]));
    const shown = readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && commandOf(pid).includes("k3y-that"));
    expect(shown).toEqual([]);
    const { project_id } = shop.project;
    expect(await artifactOf(project_id, "Containerfile")).toContain(`FROM ${baseImage}\n`);
    const compose = await artifactOf(project_id, "compose.yaml");
    expect(compose).toMatch(/SHOP_KEY: "\$\{SHOP_KEY:\?\}"/);
    expect(compose).not.toContain("k3y-that");
  });

  test("the next one finds its data, migrated in its image, and a rollback goes to the one before", {
    tags: "long",
  }, async () => {
    const migrate = `node -e "fs.appendFileSync(process.env.SLIPWAY_DATA_DIR + '/count', 'xx')"`;
    await deploy({ id: "shop", scripts: { start: start("two"), migrate }, secrets });
    expect(await read(shop.url)).toBe("two");
    expect(await read(shop.url, "/count")).toBe("4");
    expect(containersOf(shop.dep)).toHaveLength(2);
    expect((await shop.app.command("rollback")).statusCode).toBe(200);
    expect(await read(shop.url)).toBe("one");
    expect(await read(shop.url, "/count")).toBe("5");
    expect(imagesOf(shop.dep)).toHaveLength(2);
  });

  test("one that was killed is started again, and copies come and go", { tags: "long" }, async () => {
    const { release } = await shop.app.read();
    // One that is only created cannot be killed.
    for (const id of containersOf(shop.dep, "--filter", "status=running")) call("kill", id);
    await until(async () => (await read(shop.url)) === "one");
    expect((await shop.app.command("scale", { replicas: 2 })).statusCode).toBe(200);
    await until(() => containersOf(shop.dep).length >= 3);
    expect((await shop.app.command("stop")).statusCode).toBe(200);
    await until(() => containersOf(shop.dep).length === 0);
    // Somebody tidied up: the version's files are still there.
    call("rmi", ...imagesOf(shop.dep));
    expect((await shop.app.command("start")).statusCode).toBe(200);
    expect(await read(shop.url, "/count")).toBe("6");
    expect((await shop.app.read()).release?.release_id).toBe(release?.release_id);
  });

  test("one that is removed leaves neither container nor image", async () => {
    expect((await shop.app.remove()).statusCode).toBe(204);
    await until(() => imagesOf(shop.dep).length === 0);
    expect(containersOf(shop.dep)).toEqual([]);
    expect(lines(call("images", "--format", "{{.Repository}}"))).toEqual([baseImage]);
  });

  test("what is told of an image shows no secret that a build has left in its files", { tags: "long" }, async () => {
    const files = { Procfile: "web: node server.cjs", "server.cjs": countingServer("spilt") };
    const made = (step: string) => `printf 'FROM ${baseImage}\\n${step}\\n' "$SPILT_KEY" > Dockerfile`;
    process.env["SPILT_KEY"] = "spilt-key-4711";
    const parts = { id: "spilt", secrets: { provider: "env", required: ["SPILT_KEY"] } };
    const write: Parameters<typeof play>[1] = async ({ folder, task }) => {
      if (task.role === "planner") return undefined;
      for (const [path, text] of Object.entries(files)) await writeFile(join(folder, path), text);
      return undefined;
    };
    const deployment = { orchestrator: "docker" };
    const build = made("RUN echo of %s; exit 3");
    const start = countingServer("spilt", "node");
    const id = await play({ ...parts, deployment, scripts: { build, start } }, write);
    const project = await untilEnded(app, id);
    expect(project.error?.message).toContain("The image cannot be built: ");
    const told = JSON.stringify(await deploymentCalls(app, project.application_id).read());
    for (const text of [told, await artifactOf(id, "report.json")]) {
      expect(text).toContain("The image cannot be built: ");
      expect(text).not.toContain("spilt-key");
    }
    const {
      project: live,
      dep,
      app: calls,
    } = await deploy({ ...parts, scripts: { build: made("ENV OF=%s"), start } }, files);
    expect(await artifactOf(live.project_id, "Containerfile")).toContain("ENV OF=********");
    await calls.remove();
    await until(() => imagesOf(dep).length === 0);
  });

  test("services are containers of their own, each by its Dockerfile, else by one of ours", {
    tags: "long",
  }, async () => {
    const server = (answer: string) =>
      `require("http").createServer(async (q, s) => s.end(${answer})).listen(process.env.PORT, process.env.HOST)`;
    const web = await deploy(
      {
        deployment: { orchestrator: "docker-compose" },
        services: { store: {}, web: { dependencies: ["store"] } },
      },
      {
        "services/store/server.cjs": server(`"the store"`),
        "services/store/Procfile": "web: node server.cjs",
        "services/web/Procfile": "web: node server.cjs",
        "services/web/server.cjs": server(
          `process.cwd() + " asked " + (await (await fetch(process.env.STORE_URL)).text())`,
        ),
        "services/web/Dockerfile": `FROM ${baseImage}\nWORKDIR /here\nCOPY server.cjs .\nVOLUME /cache\nCMD ["node", "server.cjs"]\n`,
      },
    );
    expect(await read(web.url)).toBe("/here asked the store");
    expect(containersOf(web.dep)).toHaveLength(2);
    const { project_id } = web.project;
    expect(await artifactOf(project_id, "services/web/Containerfile")).toContain("WORKDIR /here");
    expect(await artifactOf(project_id, "compose.yaml")).toContain('STORE_URL: "http://store:8080"');
    await web.app.remove();
    await until(() => imagesOf(web.dep).length === 0);
    expect(containersOf(web.dep)).toEqual([]);
    expect(call("volume", "ls", "--quiet")).toBe("");
  });

  test("one that takes more memory than its document allows is ended, and says so", { tags: "long" }, async () => {
    const { place: dataFolder, plan } = programFolder();
    const { sandbox } = sandboxFor("plain");
    const containers = new ContainerStarter({ sandbox, dataFolder, part: "apps" });
    const supervisor = new Supervisor({ sandbox, containers, onEvent: () => undefined });
    onTestFinished(() => supervisor.close());
    const command = `node -e "const held = []; for (;;) held.push(Buffer.alloc(2 ** 20, 1))"`;
    const greedy = inContainer(plan("one", { command, limits: { ...ampleLimits, memoryBytes: 128 * 2 ** 20 } }));
    expect(await supervisor.prepare({ deploymentId: "dep_1", releaseId: "rel_1", plan: greedy, secrets: {} })).toEqual({
      is: "failed",
      // Not every engine is told by the kernel why it was killed.
      reason: expect.stringMatching(/scripts\.start (used 128MB, limit was 128MB|ended with exit code 137)/),
    });
    expect(containersOf("dep_1")).toEqual([]);
  });

  test("an image that a cluster fetches is sent to its registry, and does not stay", { tags: "long" }, async () => {
    const { host, manifests, blobs } = await startRegistry();
    const { sandbox, dataFolder } = sandboxFor("bubblewrap");
    const containers = new Containers({
      ...{ sandbox, dataFolder },
      settings: { ...settings, allowsOwn: async () => false },
    });
    const publish = (registry: string) =>
      containers.publish({
        ...{ folder: programFolder().folderOf("one"), command: "node server.cjs", image: `${registry}/shop:1` },
        ...{ isInsecure: true, uid: 1_000, limits: ampleLimits, limitMs: 300_000, secrets: {} },
        signal: new AbortController().signal,
      });
    expect(await publish(host)).toBeUndefined();
    const { layers, config } = manifests.get("shop:1") as { layers: { digest: string }[]; config: { digest: string } };
    for (const { digest } of [...layers, config]) expect(blobs.has(digest)).toBe(true);
    expect(call("images", "--format", "{{.Repository}}")).not.toContain("shop");
    // Nobody listens there.
    expect(await publish("127.0.0.1:9")).toContain("The image cannot be sent to its registry");
  });

  /** A release of a service of its own, which an engine of its own kills at these moments. */
  test.for(isLong ? (["inside", "process"] as const) : (["inside"] as const))(
    "a service that is killed in the middle of a release (supervisor: %s) brings one version live, and leaves no other container",
    { tags: "long", timeout: 900_000 },
    async (supervisor) => {
      const data = await usedDataFolder();
      const place = dirname(data);
      onTestFinished(() => endProcessesIn(data));
      const engine = new KillingEngine(place, settings.engine!);
      const env = {
        SLIPWAY_SUPERVISOR: supervisor,
        SLIPWAY_LOG_LEVEL: "warn",
        SLIPWAY_CONTAINER_ENGINE: engine.program,
        SLIPWAY_CONTAINER_BASE_IMAGES: `node=${baseImage}`,
        ...programToWrite(program),
      };
      await writeFile(join(place, "agents.yaml"), writingAgent);
      const open = () => startService(data, ["--config", join(place, "agents.yaml")], { program: entry, env });
      let service = await open();
      const versions = Array.from({ length: 40 }, (_, at) => `version-${at}`).values();
      const nextDocument = () => {
        const name = versions.next().value!;
        return { name, document: documentOf({ ...killed, scripts: { start: `NAME=${name} node server.cjs` } }) };
      };
      const first = nextDocument();
      const { deployment } = await ended(service, (await service.createProject(first.document)).project_id);
      const { url, deployment_id: dep } = deployment!;
      const verbs = engine.takeVerbs();
      expect(verbs).toEqual(expect.arrayContaining(["build", "run"]));

      // A container that runs keeps `run` from ending: its service is killed while the engine starts it.
      const startsIt = { when: "before", verb: "run" } as const;
      const others = verbs.filter((verb) => verb !== "run");
      const all = others.flatMap((verb) => [{ when: "before", verb } as const, { when: "after", verb } as const]);
      for (const moment of isLong ? [startsIt, ...all] : [startsIt]) {
        const { name, document } = nextDocument();
        engine.killAt(moment, service.child.pid!);
        const { project_id } = await service.createProject(document);
        const over = await Promise.race([
          service.ended.then(() => "killed"),
          ended(service, project_id).catch(() => "killed"),
        ]);
        // Not every release asks the engine for everything.
        if (engine.takeBack(moment)) expect(over).not.toBe("killed");
        else service = await open();
        if (moment === startsIt) expect(over).toBe("killed");
        const what = `${moment.when} ${moment.verb}`;
        expect(await ended(service, project_id), what).toMatchObject({ status: "deployed", error: null });
        // A service that holds its programs itself starts them again with it, which takes a moment.
        await until(() =>
          fetch(url!)
            .then(async (answer) => ((await answer.json()) as { name: string }).name === name)
            .catch(() => false),
        );
        // Those of the version before are removed once nobody asks them any more.
        await until(() => containersOf(dep).length === 1);
      }
      await service.stop();
      if (supervisor === "process") signal(supervisorOf(data), "SIGTERM");
      await until(() => containersOf(dep).length === 0);
    },
  );

  test("what a supervisor that was killed has left is removed by the next one", { tags: "long" }, async () => {
    const { place: dataFolder, plan } = programFolder();
    await noteEngine(dataFolder, settings.engine!);
    const gone = Promise.withResolvers<void>();
    const command = [process.execPath, entry, "supervise", dataFolder, "none"] as const;
    const supervisor = new SupervisorProcess({
      dataFolder,
      command,
      log,
      onEvent: () => undefined,
      onGone: gone.resolve,
    });
    onTestFinished(() => supervisor.close());
    const serve = `node -e "http.createServer((q,s)=>s.end(JSON.stringify({name:'one'}))).listen(process.env.PORT,process.env.HOST)"`;
    const contained = inContainer(plan("one", { command: serve }));
    const goLive = async () => {
      const supervision = await supervisor.get();
      const ref = { deploymentId: "dep_left", releaseId: "rel_left" };
      expect(await supervision.prepare({ ...ref, plan: contained, secrets: {} })).toMatchObject({ is: "ready" });
      const shares = [{ releaseId: "rel_left", weight: 1 }];
      return supervision.route({ deploymentId: "dep_left", address: { host: "127.0.0.1", port: 0 }, shares });
    };
    await goLive();
    const [left] = containersOf("dep_left");
    process.kill(supervisorOf(dataFolder), "SIGKILL");
    await gone.promise;
    expect(containersOf("dep_left")).toEqual([left]);
    const { port } = await goLive();
    expect((await ask(port!)).name).toBe("one");
    expect(containersOf("dep_left")).not.toContain(left);
  });
});

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}
