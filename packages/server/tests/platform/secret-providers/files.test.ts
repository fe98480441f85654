import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { askingProviders, missingLines } from "../../support/secrets/ask-provider.ts";

const ask = askingProviders();
const folder = await mkdtemp(join(tmpdir(), "slipway-secrets-"));
afterAll(() => rm(folder, { recursive: true, force: true }));
const write = async (name: string, text: string, mode = 0o600) => {
  const path = join(folder, name);
  await mkdir(join(path, ".."), { recursive: true });
  await writeFile(path, text, { mode });
  await chmod(path, mode);
  return path;
};

describe("a dotenv file", async () => {
  const path = await write("shop.env", "# the shop\nexport KEY=sesame\nTEXT='two words # and more'\nMANY=\"a\nb\"\n");
  const declared = { kind: "file", path };

  test("serves its values, and names all that are missing at once", async () => {
    expect(await ask({ declared, secrets: { required: ["KEY", "TEXT", "MANY"], optional: ["MAYBE"] } })).toEqual({
      values: { KEY: "sesame", TEXT: "two words # and more", MANY: "a\nb" },
    });
    expect(await ask({ declared, secrets: { required: ["KEY", "A", "constructor"] } })).toMatchObject({
      code: "secret_missing",
      message: expect.stringContaining(missingLines("file", "A", "constructor")),
    });
  });

  test("is not asked for more secrets than a project can need", async () => {
    const required = Array.from({ length: 201 }, (_, index) => `KEY_${index}`);
    expect(await ask({ declared, secrets: { required } })).toMatchObject({
      message: "Unable to authenticate with secret provider 'file': the document names more than 200 secrets.",
    });
  });

  test("serves no more text than can be masked at once", async () => {
    const names = ["ONE", "TWO", "THREE"];
    const large = await write("large.env", names.map((name) => `${name}=${"x".repeat(30_000)}\n`).join(""), 0o600);
    const served = (required: readonly string[]) =>
      ask({ declared: { kind: "file", path: large }, secrets: { required } });
    expect(await served(["ONE", "TWO"])).toHaveProperty("values");
    expect(await served(names)).toMatchObject({
      code: "secret_provider",
      message: expect.stringContaining("the secrets of the document have more than 65536 characters together."),
    });
  });

  test("is refused if others may read it, or if it is none", async () => {
    const open = await write("open.env", "KEY=sesame", 0o640);
    expect(await ask({ declared: { kind: "file", path: open }, secrets: { required: ["KEY"] } })).toMatchObject({
      code: "secret_provider",
      message:
        "Unable to authenticate with secret provider 'file': others than its owner may read or change the file; run 'chmod 600' on it.",
    });
    const gone = { kind: "file", path: join(folder, "gone.env") };
    expect(await ask({ declared: gone, secrets: { required: ["KEY"] } })).toMatchObject({
      message:
        "Unable to authenticate with secret provider 'file': the operator's file or folder cannot be read (ENOENT).",
    });
    const device = { kind: "file", path: "/dev/zero" };
    expect(await ask({ declared: device, secrets: { required: ["KEY"] } })).toMatchObject({
      message: expect.stringContaining("is not a regular file"),
    });
  });

  test("is one of a folder by the document's path, and never one outside", async () => {
    await write("teams/shop.env", "KEY=of the shop");
    await write("teams/deep/er.env", "KEY=deeper");
    await write("outside.env", "KEY=outside");
    await symlink(join(folder, "outside.env"), join(folder, "teams/link.env"));
    const teams = { kind: "file", path: join(folder, "teams") };
    const at = (provider: string, config?: object) =>
      ask({ declared: teams, secrets: { provider, required: ["KEY"], ...(config && { config }) } });
    expect(await at("file://shop")).toEqual({ values: { KEY: "of the shop" } });
    expect(await at("file://deep/er")).toEqual({ values: { KEY: "deeper" } });
    expect(await at("file://deep", { path: "er" })).toEqual({ values: { KEY: "deeper" } });
    expect(await at("file://nothing")).toMatchObject({ code: "secret_missing" });
    expect(await at("file")).toMatchObject({ code: "secret_missing" });
    for (const provider of ["file://../outside", "file://deep/../../outside", "file://%2e%2e/outside", "file://a//b"])
      expect(await at(provider), provider).toMatchObject({ message: expect.stringContaining("a path in a document") });
    expect(await at("file://shop", { path: 7 })).toMatchObject({ message: expect.stringContaining("must be a text") });
    expect(await at("file://link")).toMatchObject({ message: expect.stringContaining("a link that leaves") });
  });
});

describe("a mounted folder", () => {
  test("has a file for each secret, as Kubernetes links them", async () => {
    await write("mounted/..2026/KEY", "sesame\n", 0o644);
    await write("mounted/..2026/sub.key", "dotted", 0o644);
    await symlink("..2026", join(folder, "mounted/..data"));
    await symlink("..data/KEY", join(folder, "mounted/KEY"));
    await symlink("..data/sub.key", join(folder, "mounted/sub.key"));
    await symlink("/etc/passwd", join(folder, "mounted/PASSWD"));
    const declared = { kind: "kubernetes", path: join(folder, "mounted") };
    expect(await ask({ declared, secrets: { required: ["KEY", "sub.key"] } })).toEqual({
      values: { KEY: "sesame\n", "sub.key": "dotted" },
    });
    expect(await ask({ declared, secrets: { required: ["NONE", "../shop.env", "..data"] } })).toMatchObject({
      message: expect.stringContaining(missingLines("kubernetes", "NONE", "../shop.env", "..data")),
    });
    expect(await ask({ declared, secrets: { required: ["PASSWD"] } })).toMatchObject({ code: "secret_provider" });
  });
});

describe("what the operator allows", async () => {
  const path = await write("allowed.env", "SHOP_KEY=a\nOTHER=b\n");

  test("is some names, also by their beginning", async () => {
    const declared = { kind: "file", path, names: ["SHOP_*"] };
    expect(await ask({ declared, secrets: { required: ["SHOP_KEY"] } })).toEqual({ values: { SHOP_KEY: "a" } });
    expect(await ask({ declared, secrets: { required: ["OTHER"] } })).toMatchObject({
      message: `${missingLines("file", "OTHER")}Only what the operator lists in 'names' of the provider 'file' in secret_providers is served.`,
    });
  });

  test("is some owners", async () => {
    const secrets = { required: ["OTHER"] };
    expect(await ask({ declared: { kind: "file", path, owners: ["bob"] }, secrets })).toMatchObject({
      message:
        "Unable to authenticate with secret provider 'file': the operator has not allowed it for projects of ada.",
    });
    const declared = { kind: "file", path, owners: ["ada"] };
    expect(await ask({ declared, secrets, isPrivate: false })).toEqual({ values: { OTHER: "b" } });
  });

  test("is nothing where others can use the service and the operator lists nothing", async () => {
    const secrets = { required: ["OTHER"] };
    expect(await ask({ declared: { kind: "file", path }, secrets, isPrivate: false })).toMatchObject({
      code: "secret_missing",
    });
    const declared = { kind: "file", path, names: ["*"] };
    expect(await ask({ declared, secrets, isPrivate: false })).toEqual({ values: { OTHER: "b" } });
  });
});
