// @module-tag soak

import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { soakCases } from "../../../../tools/soak-runs.ts";
import { type Setting, settings } from "../../src/app/settings.ts";
import { testFolder } from "../support/database/run-starter.ts";
import { entry, run, Service, startService, usedDataFolder } from "../support/run-service.ts";

/** For each setting a value by its flag, by its variable and by its line in the config file. */
const samples: Readonly<Record<(typeof settings)[number]["name"], readonly [string, string, string]>> = {
  host: ["127.0.0.2", "127.0.0.3", "127.0.0.4"],
  port: ["4712", "4713", "4714"],
  tls_certificate: ["", "/tls/a.pem", "/tls/b.pem"],
  tls_key: ["", "/tls/a-key.pem", "/tls/b-key.pem"],
  data: ["by-flag", "by-variable", "by-file"],
  roles: ["api", "worker", "worker,api"],
  database_url: ["", "postgres://ann:hidden-1@db/a", "postgres://ann:hidden-2@db/b"],
  artifacts: ["", "/artifacts-1", "/artifacts-2"],
  artifact_store: ["", "s3", "folder"],
  s3_bucket: ["", "bucket-1", "bucket-2"],
  s3_endpoint: ["", "http://127.0.0.1:9000", "http://127.0.0.1:9001"],
  s3_region: ["", "eu-1", "eu-2"],
  s3_prefix: ["", "one/", "two/"],
  s3_path_style: ["", "true", "false"],
  s3_access_key_id: ["", "hidden-7", "hidden-8"],
  s3_secret_access_key: ["", "hidden-9", "hidden-10"],
  artifact_quota_project: ["", "1000", "2000"],
  artifact_quota_total: ["", "3000", "4000"],
  artifact_retention_days: ["", "5", "6"],
  artifact_retention_count: ["", "7", "8"],
  max_upload_bytes: ["", "9000", "9001"],
  allow_local_webhooks: ["true", "false", "true"],
  webhook_networks: ["", "10.1.0.0/16", "10.2.0.0/16,fd00:1::/32"],
  public_url: ["", "https://a.example.com", "https://b.example.com"],
  requests_per_minute: ["", "61", "62"],
  requests_per_minute_of_user: ["", "161", "162"],
  security_advisories: ["", "/osv-1", "/osv-2"],
  api_keys_per_user: ["", "11", "12"],
  trust_proxy: ["", "10.0.0.1", "10.0.0.2"],
  metrics_token: ["", "hidden-3", "hidden-4"],
  master_key: ["", "hidden-5", "hidden-6"],
  environment_secrets: ["", "ONE", "ONE,OTHER"],
  approvals_allow_self: ["", "false", "true"],
  sandbox: ["", "none", "bubblewrap"],
  supervisor: ["", "inside", "process"],
  apps_host: ["", "127.0.0.5", "127.0.0.6"],
  app_disk_gb: ["", "30", "40"],
  package_cache_gb: ["", "30", "40"],
  orchestrators: ["", "process", "container,process"],
  container_engine: ["", "podman", "docker,--log-level,error"],
  container_base_images: ["", "node=a/node:1", "node=b/node:2,python=b/python"],
  container_project_files: ["", "false", "true"],
  log_level: ["", "debug", "error"],
};
const all = settings as readonly Setting[];
const sampleOf = (name: string) => samples[name as keyof typeof samples];
const flags = all.flatMap(({ name, flag, kind }) =>
  flag === undefined ? [] : kind === "switch" ? [`--${flag}`] : [`--${flag}`, sampleOf(name)[0]],
);
const variables = Object.fromEntries(all.map(({ name }) => [`SLIPWAY_${name.toUpperCase()}`, sampleOf(name)[1]]));
const file = all.map(({ name }) => `${name}: ${sampleOf(name)[2]}\n`).join("");

describe("a setting is taken", () => {
  test("from its flag before its variable, from its variable before the file, and is the default otherwise", async () => {
    const cwd = await folderWith({ "slipway.yaml": file });
    const [byFlag, byVariable, byFile, byDefault] = await Promise.all([
      shownBy(flags, { cwd, env: variables }),
      shownBy([], { cwd, env: variables }),
      shownBy([], { cwd }),
      shownBy([], { cwd: await testFolder() }),
    ]);
    for (const { name, flag, isSecret, default: usual } of all) {
      const [first, second, third] = sampleOf(name).map((value) => (isSecret ? "********" : value));
      const variable = { value: second, from: `SLIPWAY_${name.toUpperCase()}` };
      expect.soft(byFlag[name]).toEqual(flag === undefined ? variable : { value: first, from: `--${flag}` });
      expect.soft(byVariable[name]).toEqual(variable);
      expect.soft(byFile[name]).toEqual({ value: third, from: `${name} in slipway.yaml` });
      expect.soft(byDefault[name]).toEqual({ value: usual === undefined ? "null" : String(usual), from: "default" });
    }
  });

  test("from the file that --config or SLIPWAY_CONFIG names", async () => {
    const cwd = await folderWith({ "slipway.yaml": "port: 1", "a.yaml": "port: 2", "b.yaml": "port: 3" });
    const env = { SLIPWAY_CONFIG: "b.yaml" };
    expect((await shownBy(["--config", "a.yaml"], { cwd, env }))["port"]).toEqual({
      value: "2",
      from: "port in a.yaml",
    });
    expect((await shownBy([], { cwd, env }))["port"]).toEqual({ value: "3", from: "port in b.yaml" });
    expect((await shownBy([], { cwd, env: { SLIPWAY_CONFIG: "" } }))["port"]).toMatchObject({ value: "1" });
  });
});

test("slipway config prints every setting with its source for people, too, and no secret", async () => {
  const cwd = await folderWith({ "slipway.yaml": file });
  const { code, out, err } = await run(["config"], { cwd, env: variables });
  expect({ code, err }).toEqual({ code: 0, err: "" });
  for (const { name } of all) expect(out).toMatch(new RegExp(`^${name} +\\S+ +SLIPWAY_${name.toUpperCase()}$`, "m"));
  expect(out).not.toContain("hidden");
});

describe("the service listens and stores its data where its settings say", () => {
  test("by flags", async () => {
    const service = await startService(await usedDataFolder(), ["--host", "127.0.0.2", "--roles", "api"]);
    expect(service.address).toMatch(/^http:\/\/127\.0\.0\.2:\d+$/);
    expect(service.adminToken).toMatch(/^spec_ut_/);
  });

  test.for(soakCases(["variables", "a config file"]))("by %s", async (way) => {
    const data = await usedDataFolder();
    const folder = dirname(data);
    const told = { host: "127.0.0.3", port: "0", data, allow_local_webhooks: "true" };
    const lines = Object.entries(told).map(([name, value]) => `${name}: ${value}\n`);
    if (way === "a config file") await writeFile(join(folder, "slipway.yaml"), lines.join(""));
    const env = Object.fromEntries(
      Object.entries(told).map(([name, value]) => [`SLIPWAY_${name.toUpperCase()}`, value]),
    );
    const service = new Service(told.data, [], { cwd: folder, ...(way === "variables" && { env }) }, ["serve"]);
    await service.ready();
    expect(service.address).toMatch(/^http:\/\/127\.0\.0\.3:\d+$/);
    expect((await service.call("/api/v1/projects")).status).toBe(200);
  });
});

describe("what cannot be used is said with its place, and ends with 2", () => {
  const cases: [string, string[], Record<string, string>, string, RegExp][] = [
    ["a flag that is unknown", ["--prot", "1"], {}, "", /--prot/],
    ["a word that is none of ours", ["now"], {}, "", /now/],
    ["a port that is not a number", ["--port", "x"], {}, "", /--port must be a whole number from 0 to 65535/],
    ["a port out of range", [], { SLIPWAY_PORT: "65536" }, "", /SLIPWAY_PORT must be a whole number/],
    ["an empty host", ["--host", ""], {}, "", /--host must be a text/],
    ["an empty data folder", ["--data", ""], {}, "", /--data must be a text/],
    ["an unknown role", ["--roles", "api,boss"], {}, "", /--roles must be one or more of api, worker/],
    ["a switch that is neither", [], { SLIPWAY_ALLOW_LOCAL_WEBHOOKS: "maybe" }, "", /SLIPWAY_ALLOW_LOCAL_WEBHOOKS/],
    ["a list for a text", [], {}, "host: [a]", /host in slipway.yaml must be a text/],
    ["an unknown line", [], {}, "prot: 1", /slipway.yaml: there is no setting 'prot'/],
    ["a file that is not valid YAML", [], {}, "a: [", /slipway.yaml is not valid YAML.*line 1/],
    ["a file that is a list", [], {}, "- a", /slipway.yaml must hold settings/],
    ["a document", [], {}, "spec_version: 1.0.0", /is a specification document/],
    ["a file that is not there", ["--config", "no.yaml"], {}, "", /no.yaml cannot be read/],
    ["an unknown log level", [], { SLIPWAY_LOG_LEVEL: "loud" }, "", /SLIPWAY_LOG_LEVEL must be one of/],
  ];

  test.for(cases)("%s", async ([, args, env, text, message]) => {
    const cwd = await folderWith(text === "" ? {} : { "slipway.yaml": text });
    const { code, out, err } = await run(["serve", ...args], { cwd, env, program: entry });
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toMatch(message);
    expect(err.trim().split("\n")).toHaveLength(1);
  });

  test("an invalid master key", async () => {
    const env = { SLIPWAY_MASTER_KEY: "short" };
    const { code, err } = await run(["serve", "--port", "0", "--data", await usedDataFolder()], { env });
    expect({ code, err: err.split("\n").at(-2) }).toEqual({
      code: 2,
      err: expect.stringMatching(/^slipway: SLIPWAY_MASTER_KEY must contain keys of 32 bytes in base64/),
    });
    expect(err).not.toContain("short");
  });
});

async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await testFolder();
  await mkdir(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

type Shown = Readonly<Record<string, { value: string; from: string }>>;

async function shownBy(args: string[], options: { cwd: string; env?: Record<string, string> }): Promise<Shown> {
  const { code, out, err } = await run(["config", "--json", ...args], { ...options, program: entry });
  expect({ code, err }).toEqual({ code: 0, err: "" });
  const { settings: shown } = JSON.parse(out) as { settings: { name: string; value: unknown; from: string }[] };
  return Object.fromEntries(shown.map(({ name, value, from }) => [name, { value: String(value), from }]));
}
