import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { buildImage } from "../../../src/deployment/containers/build-image.ts";
import { chooseContainerfile, whyNoContext } from "../../../src/deployment/containers/choose-containerfile.ts";
import { containRelease } from "../../../src/deployment/containers/contain-release.ts";
import { openEnvironmentFile } from "../../../src/deployment/containers/environment-file.ts";
import { renderCompose } from "../../../src/deployment/containers/render-compose.ts";
import { runArguments } from "../../../src/deployment/containers/run-arguments.ts";
import {
  type DeploymentTarget,
  findTarget,
  processTarget,
  unservedRequests,
} from "../../../src/deployment/find-target.ts";
import { Masker } from "../../../src/platform/secrets/index.ts";
import { TemporaryFolders } from "../../../src/platform/temporary-folders.ts";
import { ampleLimits } from "../../support/ample-limits.ts";

const { signal } = new AbortController();
const temporary = new TemporaryFolders({ dataFolder: join(tmpdir(), "slipway-hostile") });
const engine = {
  command: ["podman"],
  kind: "podman",
  version: "5.0.0",
  isRootless: false,
  hasInit: true,
  limitsCpus: true,
  storage: "/",
} as const;
const toBuild = {
  ...{ containerfile: "", tag: "t", labels: {}, account: { uid: 1, gid: 1 } },
  ...{ limits: ampleLimits, limitMs: 10_000, signal, masker: new Masker([]) },
};
const health = { path: "/", readyWithinMs: 1, maxErrors: 1, everyMs: 1, withinMs: 1 };

test("a Dockerfile that is no file is not read, and one that may not be used is left out", async () => {
  const folder = mkdtempSync(join(tmpdir(), "slipway-hostile-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  spawnSync("mkfifo", [join(folder, "Containerfile")]);
  symlinkSync("/etc/passwd", join(folder, "Dockerfile"));
  const choose = (allowsOwn: boolean, command = "node server.js") =>
    chooseContainerfile({ baseImages: { node: "base" }, allowsOwn }, { folder, command, signal });
  expect(await choose(true)).toMatchObject({ isOwn: false, text: expect.stringMatching(/^FROM base\n/) });
  expect(await whyNoContext(folder, ".", signal)).toBeUndefined();
  spawnSync("mkfifo", [join(folder, ".dockerignore")]);
  expect(await whyNoContext(folder, ".", signal)).toMatch(/^\.dockerignore is not a regular file/);
  rmSync(join(folder, "Dockerfile"));
  writeFileSync(join(folder, "Dockerfile"), "FROM one\nCMD x\nFROM two\nCOPY a .\n");
  expect(await choose(true)).toMatchObject({ isOwn: true, startsItself: false });
  expect(await choose(false)).toMatchObject({ isOwn: false, isOwnLeftOut: true });
  expect(await choose(false, "./run")).toEqual({ failure: expect.stringContaining("neither Node nor Python") });
});

test("an ignore file with holes is not given to the engine, which would read all of it into its memory", async () => {
  const folder = mkdtempSync(join(tmpdir(), "slipway-hostile-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of [".dockerignore", ".containerignore"]) {
    writeFileSync(join(folder, name), "node_modules\n");
    expect(await whyNoContext(folder, ".", signal)).toBeUndefined();
    truncateSync(join(folder, name), 2 ** 30);
    expect(await whyNoContext(folder, ".", signal)).toContain(`'${name}'`);
    rmSync(join(folder, name));
  }
});

test.each([
  ["podman", "--ignorefile", '"$2"', "notes"],
  ["docker", "--file", '"$2.dockerignore"', "drafts"],
] as const)(
  "%s reads a copy of its own ignore file, which nobody exchanges for another",
  async (kind, option, file, expected) => {
    const folder = mkdtempSync(join(tmpdir(), "slipway-hostile-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(join(folder, ".dockerignore"), "drafts\n");
    writeFileSync(join(folder, ".containerignore"), "notes\n");
    const script = `while [ "$1" != ${option} ]; do shift || exit; done; cat ${file}; echo "$2"`;
    const told: string[] = [];
    const onOutput = (text: string) => void told.push(text);
    const reading = { ...engine, kind, command: ["sh", "-c", script, "-"] as const };
    // The engine writes no id.
    await buildImage({ engine: reading, temporary }, { ...toBuild, folder, onOutput }).catch(() => undefined);
    const [ignored, path] = told.join("").split("\n");
    expect(ignored).toBe(expected);
    expect(path).not.toContain(folder);
  },
);

const hoard = `held = Buffer.alloc(600 << 20, 1); setInterval(() => {}, 9e5)`;

test.each([
  ["a program of the engine's", ["sh", "-c", `"$0" -e "$1" & wait`, process.execPath, hoard]],
  ["the engine itself", [process.execPath, "-e", hoard]],
] as const)("a build in which %s takes too much memory is ended", async (_, command) => {
  const folder = mkdtempSync(join(tmpdir(), "slipway-hostile-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const over = new AbortController();
  onTestFinished(() => over.abort());
  const limits = { ...ampleLimits, memoryBytes: 2 ** 28 };
  const build = { ...toBuild, folder, limits, limitMs: 60_000, signal: over.signal, onOutput: () => undefined };
  expect(await buildImage({ engine: { ...engine, command }, temporary }, build)).toEqual({
    failure: expect.stringMatching(/memory limit exceeded. The build used \d+MB, limit was 512MB. Raise resources.mem/),
  });
});

test("a service whose folder a build exchanged for a link gets no image, and nothing of what is there", async () => {
  const place = mkdtempSync(join(tmpdir(), "slipway-hostile-"));
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  const folder = join(place, "release");
  mkdirSync(join(place, "others", "web"), { recursive: true });
  writeFileSync(join(place, "others", "web", "Dockerfile"), "FROM other\n");
  mkdirSync(folder);
  symlinkSync("../others", join(folder, "services"));
  const program = {
    name: "web",
    label: "The service 'web'",
    command: "node x",
    folder: `${folder}/services/web`,
    env: {},
  };
  const release = {
    ...{ deploymentId: "dep_1", releaseId: "rel_1", version: "1", folder, current: "", live: undefined },
    plan: {
      programs: [{ ...program, health }],
      replicas: 1,
      folder,
      limits: ampleLimits,
      dataFolder: join(place, "data"),
    },
    ...{ secrets: {}, limitMs: 1_000, signal, onOutput: () => undefined },
  };
  const settings = { baseImages: { node: "base" }, allowsOwn: true };
  const sandbox = { temporary, holdAccount: () => Promise.reject(new Error("No image may be built.")) };
  expect(await containRelease({ engine, installation: "i", settings, sandbox }, release)).toEqual({
    failure: "The service 'web': 'services' is a link, which the service does not follow.",
  });
});

test.skipIf(process.getuid?.() !== 0)(
  "an image gets nothing of elsewhere, though somebody exchanges a service's folder for a link meanwhile",
  async () => {
    const place = mkdtempSync(join(tmpdir(), "slipway-hostile-"));
    onTestFinished(() => rmSync(place, { recursive: true, force: true }));
    const folder = join(place, "release");
    for (const path of ["release", "release/web", "others"]) {
      mkdirSync(join(place, path));
      writeFileSync(join(place, path, "Dockerfile"), `FROM ${path}\n`);
      if (path !== "others") chownSync(join(place, path), 12_345, 12_345);
    }
    symlinkSync("../others", join(folder, "link"));
    const program = `import ctypes, os
exchange = ctypes.CDLL(None).renameat2
os.setuid(12345)
print("begun", flush=True)
while True: exchange(-100, b"web", -100, b"link", 2)`;
    const child = spawn("python3", ["-c", program], { cwd: folder });
    onTestFinished(() => void child.kill("SIGKILL"));
    await once(child.stdout, "data");
    const readsLast = {
      ...engine,
      command: ["sh", "-c", 'for last; do :; done; cat "$last/Dockerfile"', "-"] as const,
    };
    const read = new Set<string>();
    for (let round = 0; round < 30 || read.size === 0; round += 1) {
      // The round before has taken it away from them.
      chownSync(folder, 12_345, 12_345);
      // Half of the times, it is the link that stays there.
      if ((await whyNoContext(folder, "web", signal)) !== undefined) continue;
      const web = { ...toBuild, folder: join(folder, "web"), onOutput: (text: string) => read.add(text) };
      // The engine writes no id.
      await buildImage({ engine: readsLast, temporary }, web).catch(() => undefined);
    }
    expect([...read]).toEqual(["FROM release/web\n"]);
  },
);

test("variables that would become others are refused, without their values", async () => {
  await expect(openEnvironmentFile(temporary, { KEY: "secret\nLD_PRELOAD=/data/x.so" })).rejects.toThrow(
    /^'KEY' has several lines/,
  );
  await expect(openEnvironmentFile(temporary, { "A=B\nC": "secret" })).rejects.toThrow(/is not a valid name/);
});

test("a command is one argument, behind the image", () => {
  const command = "--privileged --volume /:/host";
  const plan = { engine: ["podman"], image: "sha256:1", startsItself: false } as const;
  const toRun = { engine, plan, name: "n", labels: {}, account: { uid: 7, gid: 8 }, dataFolder: "/d" };
  const args = runArguments(toRun, { command, limits: ampleLimits, network: "all" }, "/f");
  expect(args.slice(-5)).toEqual(["--entrypoint", "/bin/sh", "sha256:1", "-c", command]);
  expect(args.filter((one) => one === command)).toHaveLength(1);
});

test("names and commands of a document stay texts in the compose file", () => {
  const name = 'web"\n  evil: {privileged: true}\n#';
  const program = { name, label: name, command: "echo $HOME '\n- x'", folder: "/f", env: { A: "$A" }, health };
  const container = { engine: ["podman"], image: "i", startsItself: false } as const;
  const service = { program: { ...program, container }, context: ".", containerfile: "FROM a\nRUN echo $B\n" };
  const rendered = parse(renderCompose({ limits: ampleLimits }, [service, service], ["KEY"]));
  expect(Object.keys(rendered)).toEqual(["services", "volumes"]);
  expect(Object.keys(rendered.services)).toEqual(["web-evil-privileged-true-", "web-evil-privileged-true--1"]);
  const [first] = Object.values(rendered.services);
  expect(first).toMatchObject({
    build: { dockerfile_inline: "FROM a\nRUN echo $$B\n" },
    entrypoint: ["/bin/sh", "-c", "echo $$HOME '\n- x'"],
    environment: { A: "$$A", KEY: expect.stringMatching(/^\$\{KEY:\?\}$/) },
  });
  expect(first).not.toHaveProperty("privileged");
});

test("the operator says which ways there are, and the first is for documents that ask for none", async () => {
  const container: DeploymentTarget = {
    ...{ name: "container", orchestrators: ["docker"], platforms: ["docker"] },
    whyNot: async () => "No engine.",
  };
  const both = [container, processTarget];
  expect(findTarget(both, { deployment: { strategy: "rolling" } })?.name).toBe("container");
  expect(findTarget(both, { deployment: { strategy: "rolling", platforms: ["LOCAL"] } })?.name).toBe("process");
  const asked = (orchestrator: string) => ({ deployment: { strategy: "rolling", orchestrator } as const });
  expect(await unservedRequests(both, asked("Docker"))).toEqual([
    { pointer: "/deployment/orchestrator", reason: "No engine." },
  ]);
  expect(await unservedRequests([processTarget], asked("docker"))).toEqual([
    {
      pointer: "/deployment/orchestrator",
      reason: "No adapter deploys with 'docker'. Say 'process', or give scripts.deploy.",
    },
  ]);
});
