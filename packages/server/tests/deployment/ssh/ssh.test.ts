import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readStat } from "../../../src/platform/sandbox/process-stat.ts";
import { countingServer, deploymentCalls, read } from "../../support/deployments/app-calls.ts";
import { eventsOf, untilEnded } from "../../support/engine/follow.ts";
import { createStage } from "../../support/engine/stage.ts";
import { readPid } from "../../support/read-pid.ts";
import { startMachine, whyNoMachine } from "../../support/ssh/start-machine.ts";
import { until } from "../../support/until.ts";

describe.skipIf(whyNoMachine !== undefined)(`a machine over ssh (skipped: ${whyNoMachine ?? "no"})`, async () => {
  if (whyNoMachine !== undefined) return;
  const machine = await startMachine();
  const impostor = { ...machine.settings, host_key: machine.strangersKey };
  const { app, play } = await createStage({
    minuteMs: 6_000,
    ssh: { targets: { web: machine.settings, impostor } },
  });

  async function deploy(
    id: string,
    name: string,
    { scripts = {}, deployment = {}, ...parts }: Record<string, object> = {},
  ) {
    const document = {
      ...{ id, deployment: { orchestrator: "ssh", platforms: ["web"], ...deployment } },
      scripts: { start: countingServer(name), ...scripts },
    };
    return untilEnded(app, await play({ ...document, ...parts }));
  }
  const unitsOf = (releaseId: string) => machine.running().filter((unit) => unit.includes(releaseId));

  test("a version is sent there, runs there with its data and secrets, and is reached here", async () => {
    process.env["SSH_KEY_OF_SHOP"] = 'it\'s "so" $(secret) `id` \\ value';
    const start = `${process.execPath} -e "require('http').createServer((q,s)=>s.end(JSON.stringify([process.env.SSH_KEY_OF_SHOP,process.env.SLIPWAY_DATA_DIR,process.cwd()]))).listen(process.env.PORT,process.env.HOST)"`;
    const { status, error, deployment, project_id, application_id } = await deploy("shop", "one", {
      scripts: { start, migrate: "echo moved with $SSH_KEY_OF_SHOP; echo 1 > $SLIPWAY_DATA_DIR/schema" },
      secrets: { required: ["SSH_KEY_OF_SHOP"] },
    });
    expect({ status, error }).toEqual({ status: "deployed", error: null });
    const { deployment_id: id, url } = deployment!;
    const base = join(machine.root, "apps", id);
    const { release } = await deploymentCalls(app, application_id).read();
    const folder = join(base, "releases", release!.release_id);
    expect(JSON.parse(await read(url!))).toEqual([process.env["SSH_KEY_OF_SHOP"], join(base, "data"), folder]);
    expect(readFileSync(join(base, "data/schema"), "utf8")).toBe("1\n");
    expect(realpathSync(join(base, "current"))).toBe(realpathSync(folder));

    // The value is in files that only their owner reads, and in the program; nowhere else.
    const holders = execFileSync(
      "sh",
      ["-c", `grep -rlF 'so\\" \\$(secret)' '${machine.root}' '${machine.home}' || true`],
      { encoding: "utf8" },
    );
    const files = holders.trim().split("\n");
    expect(files.every((file) => file.startsWith(join(base, "env")) && (statSync(file).mode & 0o077) === 0)).toBe(true);
    expect(files.some((file) => file.includes("migrate"))).toBe(false);
    const commandLines = execFileSync("ps", ["-eo", "args"], { encoding: "utf8" });
    expect(commandLines).not.toContain("(secret)");
    const logged = await app.call({ url: `/api/v1/projects/${project_id}/logs` });
    expect(logged.body).toContain("moved with");
    expect(logged.body).not.toContain("(secret)");
    const manifest = await app.call({ url: `/api/v1/projects/${project_id}/artifacts/deployment_config` });
    expect(manifest.body).toContain(`EnvironmentFile=${base}/env/`);
  });

  test("a new version takes over with its data; rollback, scale, restart, stop, start and rm follow", {
    tags: "long",
  }, async () => {
    const { application_id, deployment } = await deploy("books", "one");
    const { deployment_id: id, url } = deployment!;
    const calls = deploymentCalls(app, application_id);
    const first = (await calls.read()).release!.release_id;
    expect([await read(url!), await read(url!, "/count")]).toEqual(["one", "1"]);
    await deploy("books", "two");
    const second = (await calls.read()).release!.release_id;
    expect([await read(url!), await read(url!, "/count")]).toEqual(["two", "2"]);
    // The version before is warm.
    expect(unitsOf(first)).toHaveLength(1);
    expect((await calls.command("rollback")).statusCode).toBe(200);
    expect([await read(url!), await read(url!, "/count")]).toEqual(["one", "3"]);

    expect((await calls.command("scale", { replicas: 2 })).statusCode).toBe(200);
    expect(unitsOf(first)).toHaveLength(2);
    const pids = async () => new Set(await Promise.all(Array.from({ length: 20 }, () => read(url!, "/pid"))));
    const before = await pids();
    expect(before.size).toBe(2);
    expect((await calls.command("restart")).statusCode).toBe(200);
    const after = await pids();
    expect(after.size).toBe(2);
    expect([...after].filter((pid) => before.has(pid))).toEqual([]);
    expect(unitsOf(first)).toHaveLength(2);

    expect((await calls.command("stop")).json()).toMatchObject({ status: "stopped" });
    expect([...unitsOf(first), ...unitsOf(second)]).toEqual([]);
    expect(await read(url!)).toBe("nothing");
    expect((await calls.command("start")).json()).toMatchObject({ status: "live", url });
    expect([await read(url!), await read(url!, "/count")]).toEqual(["one", "4"]);
    expect((await calls.remove()).statusCode).toBe(204);
    await until(() => !existsSync(join(machine.root, "apps", id)));
    expect(unitsOf(first)).toEqual([]);
    expect(
      readdirSync(join(machine.home, ".config/systemd/user")).filter(
        (name) => name.includes(first) || name.includes(second),
      ),
    ).toEqual([]);
  });

  test("a version that ends there is taken away with the reason, and the one before goes on", {
    tags: "long",
  }, async () => {
    const { application_id, deployment } = await deploy("fails", "one");
    const live = (await deploymentCalls(app, application_id).read()).release!.release_id;
    const ended = await deploy("fails", "two", { scripts: { start: "echo no such table; exit 7" } });
    expect(ended.error?.message).toBe("scripts.start ended with exit code 7. Last output: no such table");
    const migrated = await deploy("fails", "three", { scripts: { migrate: "echo no such column; exit 9" } });
    expect(migrated.error?.message).toBe("scripts.migrate ended with exit code 9. Last output: no such column");
    expect(await read(deployment!.url!)).toBe("one");
    const releases = readdirSync(join(machine.root, "apps", deployment!.deployment_id, "env")).filter((name) =>
      name.endsWith(".ports"),
    );
    expect(releases).toEqual([`${live}.ports`]);
  });

  test("a script of a run that is cancelled does not go on there", { tags: "long" }, async () => {
    const id = await play({
      ...{ id: "cancelled", deployment: { orchestrator: "ssh", platforms: ["web"] } },
      scripts: { start: countingServer("one"), migrate: 'echo $$ > "$SLIPWAY_DATA_DIR/own"; sleep 1000' },
    });
    const own = await until(() => {
      const apps = existsSync(join(machine.root, "apps")) ? readdirSync(join(machine.root, "apps")) : [];
      const found = apps.map((one) => readPid(join(machine.root, "apps", one, "data", "own")));
      return found.find((pid) => pid !== undefined);
    });
    expect((await app.call({ method: "POST", url: `/api/v1/projects/${id}/cancel` })).statusCode).toBeLessThan(300);
    await until(() => readStat(own)?.isDead ?? true);
  });

  test("a machine that is away is told of, and everything is well when it is back", { tags: "long" }, async () => {
    const { project_id, deployment } = await deploy("away", "one", {
      deployment: { health_checks: { path: "/", interval_seconds: 0.2 } },
    });
    const names = async () =>
      (await eventsOf(app, project_id)).map(({ event }) => event).filter((name) => name.startsWith("deployment."));
    await machine.stopServer();
    const failed = await deploy("away-too", "one");
    expect(failed).toMatchObject({
      status: "failed",
      error: { message: expect.stringContaining("The machine 'web' cannot be reached") },
    });
    await until(async () => (await names()).includes("deployment.unhealthy"));
    await machine.startServer();
    await until(async () => (await names()).includes("deployment.recovered"));
    expect(await read(deployment!.url!)).toBe("one");
  });

  test("a machine with another key than the operator wrote down gets nothing", { tags: "long" }, async () => {
    const { status, error } = await deploy("tricked", "one", { deployment: { platforms: ["impostor"] } });
    expect(status).toBe("failed");
    expect(error?.message).toMatch(
      /The machine 'impostor' cannot be reached: .*(Host key verification failed|REMOTE HOST)/,
    );
  });
});
