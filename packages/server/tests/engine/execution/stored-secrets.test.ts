import { createHash } from "node:crypto";
import { chmod, glob, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Artifact } from "@slipway/contract";
import { sql } from "kysely";
import { afterAll, describe, expect, test } from "vitest";
import { submit, untilEnded } from "../../support/engine/follow.ts";
import { documentOf } from "../../support/engine/stage.ts";
import { startOthersServer } from "../../support/others-server.ts";
import { createTestApp } from "../../support/test-app.ts";

const value = "open sesame, it is 42 o'clock";
const folder = await mkdtemp(join(tmpdir(), "slipway-secrets-"));
afterAll(() => rm(folder, { recursive: true, force: true }));
const file = join(folder, "production.env");
await writeFile(file, "PROD_KEY=of production, and of nothing else");
await chmod(file, 0o600);
process.env["STORED_TEST_TOKEN"] = "hvs.sesame";
afterAll(() => {
  delete process.env["STORED_TEST_TOKEN"];
});

let isSealed = false;
const vault = await startOthersServer(() => {
  if (!isSealed) return { status: 200, body: { data: { data: { KEY: "from the vault" } } } };
  isSealed = false;
  return { status: 503 };
});
const elsewhere = await startOthersServer(() => ({ status: 200, body: {} }));
const script =
  'echo "agent has $STORED_KEY"; printf %s "$STORED_KEY" | base64; printf %s "$STORED_KEY" | od -An -tx1; echo made > made.txt';
const app = await createTestApp({
  engine: { retryDelayMs: () => 0 },
  agents: {
    file: "slipway.yaml",
    declared: [{ name: "shell", kind: "command", command: "sh", args: ["-c", script], capabilities: ["api", "shell"] }],
  },
  secretProviders: {
    file: "slipway.yaml",
    declared: [
      { kind: "file", path: file, names: ["PROD_*"] },
      { kind: "vault", url: vault.url, token_env: "STORED_TEST_TOKEN", names: ["*"] },
    ],
  },
});
await app.call({ method: "PUT", url: "/api/v1/secrets/STORED_KEY", payload: { value } });

const asking = (secrets: object, more: object = {}) =>
  documentOf({ secrets, requirements: { agents: { implementer: { capabilities: ["shell"] } } }, ...more });
const digest = createHash("sha256").update(value).digest("hex");
// By its digest: the document is stored.
const isGiven = `printf %s "$STORED_KEY" | sha256sum | grep -q ${digest}`;

interface DryRun {
  readonly secrets: readonly { readonly name: string; readonly provider: string; readonly is_found: boolean }[];
  readonly unmet: readonly { readonly pointer: string; readonly reason: string }[];
}
const dryRun = async (payload: string, query = "") =>
  (
    await app.call({
      method: "POST",
      url: `/api/v1/projects?dry_run=true${query}`,
      headers: { "content-type": "application/yaml" },
      payload,
    })
  ).json<DryRun>();

describe("a secret that the service keeps", () => {
  test("reaches the programs of its owner's project, and stands nowhere in clear", async () => {
    const scripts = { test: `${isGiven} && echo the test has $STORED_KEY` };
    const id = await submit(app, asking({ provider: "slipway", required: ["STORED_KEY"] }, { scripts }));
    expect(await untilEnded(app, id)).toMatchObject({ status: "deployed", error: null });
    const { artifacts } = (await app.call({ url: `/api/v1/projects/${id}/artifacts` })).json<{
      artifacts: Artifact[];
    }>();
    expect(artifacts.length).toBeGreaterThan(0);
    const answers = await Promise.all(
      [
        "",
        "/events?limit=100",
        "/logs?tail=1000",
        "/acceptance",
        "/spec",
        ...artifacts.map(({ path }) => `/artifacts/${path}`),
      ].map(async (path) => (await app.call({ url: `/api/v1/projects/${id}${path}` })).rawPayload),
    );
    expect(answers.join("\n")).toContain("********");
    for (const form of await formsIn([...answers, ...(await rowsOf()), ...(await filesIn(app.dataFolder))]))
      expect(form).toBe("found nowhere");
  });

  test("that others stored does not exist for a project", async () => {
    const { token } = await app.userToken("svc:user");
    const id = await submit(app, asking({ provider: "slipway", required: ["STORED_KEY", "B"] }), "", token);
    expect((await untilEnded(app, id)).error).toEqual(
      expect.objectContaining({
        code: "secret_missing",
        message:
          "Required secret 'STORED_KEY' not found in provider 'slipway'\nRequired secret 'B' not found in provider 'slipway'\nSet them: slipway secrets set STORED_KEY; slipway secrets set B",
      }),
    );
  });
});

describe("a provider of the operator", () => {
  test("is chosen by environment, with names of its own", async () => {
    const document = asking(
      { provider: "slipway", required: ["STORED_KEY"] },
      { environments: { production: { secrets: { provider: "file", required: ["PROD_KEY"] } } } },
    );
    expect((await dryRun(document)).secrets).toMatchObject([
      { name: "STORED_KEY", provider: "slipway", is_found: true },
    ]);
    expect((await dryRun(document, "&environment=production")).secrets).toMatchObject([
      { name: "PROD_KEY", provider: "file", is_found: true },
    ]);
  });

  test("that is away for a moment does not fail a project for good", { tags: "long" }, async () => {
    isSealed = true;
    const secrets = { provider: "vault://teams/shop", required: ["KEY"], optional: ["MAYBE"] };
    const scripts = { test: 'test "$KEY" = "from the vault" && test -z "$MAYBE"' };
    const id = await submit(app, asking(secrets, { scripts }));
    expect(await untilEnded(app, id)).toMatchObject({ status: "deployed", error: null });
    expect(vault.heard[0]).toMatchObject({ path: "/v1/secret/data/teams/shop" });
  });

  test("is where the operator says, whatever a document says; the plan tells so", async () => {
    const config = { address: elsewhere.url, url: elsewhere.url, token: "mine", mount: "other", path: "teams/shop" };
    const { secrets, unmet } = await dryRun(asking({ provider: "vault", required: ["KEY"], region: "mars", config }));
    expect(secrets).toMatchObject([{ is_found: true }]);
    expect(elsewhere.heard).toEqual([]);
    expect(vault.heard.at(-1)).toMatchObject({ path: "/v1/secret/data/teams/shop" });
    expect(unmet.map(({ pointer }) => pointer)).toEqual(
      expect.arrayContaining([
        "/secrets/region",
        ...["address", "url", "token", "mount"].map((key) => `/secrets/config/${key}`),
      ]),
    );
    expect(unmet.map(({ pointer }) => pointer)).not.toContain("/secrets/config/path");
  });
});

/** In which of its forms the value stands in these bytes. */
async function formsIn(all: readonly Buffer[]): Promise<string[]> {
  const bytes = Buffer.from(value);
  const forms = [
    bytes,
    Buffer.from(JSON.stringify(value).slice(1, -1)),
    Buffer.from(bytes.toString("base64").slice(0, -4)),
  ];
  forms.push(Buffer.from(bytes.toString("hex")), Buffer.from(encodeURIComponent(value)));
  return forms.filter((form) => all.some((one) => one.includes(form))).map((form) => form.toString());
}

/** Every row of every table, as text; bytes in hexadecimal. */
async function rowsOf(): Promise<Buffer[]> {
  const { rows: tables } = await sql<{ name: string }>`
    select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`.execute(app.db);
  expect(tables.length).toBeGreaterThan(20);
  const texts = await Promise.all(
    tables.map(async ({ name }) => {
      const { rows } = await sql<{ row: string }>`select t::text as row from ${sql.table(name)} as t`.execute(app.db);
      // Bytes that are texts, such as pieces of a log, are read as such, too.
      return rows.flatMap(({ row }) => [
        row,
        ...(row.match(/\\x[0-9a-f]+/g) ?? []).map((hex) => Buffer.from(hex.slice(2), "hex").toString("latin1")),
      ]);
    }),
  );
  return texts.flat().map((text) => Buffer.from(text, "latin1"));
}

async function filesIn(root: string): Promise<Buffer[]> {
  const found: Buffer[] = [];
  for await (const path of glob("**/*", { cwd: root })) {
    const full = join(root, path);
    if ((await stat(full)).isFile()) found.push(await readFile(full));
  }
  expect(found.length).toBeGreaterThan(0);
  return found;
}
