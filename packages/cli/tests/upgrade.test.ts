import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { isNewer } from "../src/upgrade/compare-versions.ts";
import { registryAddress } from "../src/upgrade/registry-address.ts";
import { version } from "../src/version.ts";
import { folderWith, slipway } from "./run-slipway.ts";

/** A registry of npm that has this latest version. */
async function registryWith(latest: unknown, status = 200): Promise<{ url: string; asked: (string | undefined)[] }> {
  const asked: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url);
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(latest));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/npm/`, asked };
}

const ours = { "@slipway/server": "9.0.0" };
const check = (registry: string, ...args: string[]) =>
  slipway(["upgrade", "--check", ...args], { env: { npm_config_registry: registry } });

describe("slipway upgrade --check", () => {
  test("names the newer version of the registry that npm uses, and how to get it", async () => {
    const { url, asked } = await registryWith({ version: "9.1.0", dependencies: ours });
    const { code, out } = await check(url, "--json");
    expect([code, JSON.parse(out), asked]).toEqual([
      0,
      {
        ...{ version, latest: "9.1.0", is_newer_available: true, registry: url },
        command: "npm install slipway@9.1.0",
      },
      ["/npm/slipway/latest"],
    ]);
    expect((await check(url)).out).toBe(
      `${version} is installed, 9.1.0 is available. To upgrade: npm install slipway@9.1.0\n`,
    );
  });

  test("says when the installed version is the latest", async () => {
    const { url } = await registryWith({ version, dependencies: ours });
    expect(await check(url)).toMatchObject({ code: 0, out: `${version} is installed and is the latest version.\n` });
  });

  test("takes no other package of the same name for a release", async () => {
    const { url } = await registryWith({ version: "9.1.0", dependencies: { lodash: "4.0.0" } });
    expect(JSON.parse((await check(url, "--json")).out)).toMatchObject({ latest: null, is_newer_available: false });
    const none = await registryWith({}, 404);
    expect((await check(none.url)).out).toContain("has no release of Slipway");
  });

  test("is clear about a registry that is away, refuses or is none, and shows no password", async () => {
    const away = await check("http://ann:secret@127.0.0.1:1/");
    expect(away).toMatchObject({ code: 5, out: "" });
    expect(away.err).toContain("cannot ask http://127.0.0.1:1/ for the latest version: ECONNREFUSED");
    expect(away.err).not.toContain("secret");
    expect((await check((await registryWith({}, 401)).url)).err).toContain("it answered 401");
    expect((await check((await registryWith({ version: "\u001b[2J" })).url)).err).toContain(
      "not answer with a version",
    );
    const { err } = await check("http://127.0.0.1:1/", "--json");
    expect(JSON.parse(err)).toMatchObject({ code: "cannot_connect", next: [] });
  });

  test("is the only thing that upgrade does", async () => {
    expect(await slipway(["upgrade"])).toMatchObject({ code: 2, err: expect.stringContaining("upgrade --check") });
  });
});

test("versions are ordered as semantic versioning says", () => {
  const ordered = [
    "0.9.9",
    "1.0.0-alpha",
    "1.0.0-alpha.1",
    "1.0.0-alpha.beta",
    "1.0.0-beta.2",
    "1.0.0-beta.11",
    "1.0.0",
  ];
  for (const [index, one] of ordered.entries())
    for (const [other, two] of ordered.entries()) expect(isNewer(one, two), `${one} ${two}`).toBe(index > other);
});

test("the registry's address comes from a variable, the folder or the user, in this order", async () => {
  const folder = await folderWith({ ".npmrc": "a=1\nregistry = https://folder.example/x\n" });
  const home = await folderWith({ ".npmrc": ["registry=https://$", "{HOST}/\n"].join("") });
  const before = process.cwd();
  onTestFinished(() => process.chdir(before));
  process.chdir(folder);
  expect(registryAddress({ HOME: home, NPM_CONFIG_REGISTRY: "https://v.example" })).toBe("https://v.example/");
  expect(registryAddress({ HOME: home })).toBe("https://folder.example/x/");
  process.chdir(home);
  expect(registryAddress({ HOME: folder, HOST: "user.example" })).toBe("https://user.example/");
  process.chdir("/");
  expect(registryAddress({ HOME: "/nowhere", npm_config_registry: "file:///etc" })).toBe("https://registry.npmjs.org/");
});
