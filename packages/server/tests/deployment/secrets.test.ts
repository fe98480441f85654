// @module-tag soak
import { createHash } from "node:crypto";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { soakCases } from "../../../../tools/soak-runs.ts";
import { submit, untilEnded } from "../support/engine/follow.ts";
import { scriptedAgent } from "../support/engine/scripted-agent.ts";
import { documentOf } from "../support/engine/stage.ts";
import { awsEnvironment, startAws } from "../support/secrets/aws-server.ts";
import { azureEnvironment, startAzure } from "../support/secrets/azure-server.ts";
import { startGcp } from "../support/secrets/gcp-server.ts";
import { startVault } from "../support/secrets/vault-server.ts";
import { createTestApp } from "../support/test-app.ts";

const folder = await mkdtemp(join(tmpdir(), "slipway-secrets-"));
afterAll(() => rm(folder, { recursive: true, force: true }));
const file = join(folder, "shop.env");
await writeFile(file, "KEY=of the file");
await chmod(file, 0o600);
const mounted = join(folder, "mounted");
await mkdir(mounted);
await writeFile(join(mounted, "KEY"), "of the cluster");

const vault = await startVault();
const operatorHas = {
  ...awsEnvironment,
  ...azureEnvironment,
  ...vault.environment,
  DEPLOYED_KEY: "of the environment",
};
Object.assign(process.env, operatorHas);
afterAll(() => {
  for (const name of Object.keys(operatorHas)) delete process.env[name];
});

const app = await createTestApp({
  engine: { agents: [scriptedAgent(() => undefined)], retryDelayMs: () => 0 },
  secretProviders: {
    file: "slipway.yaml",
    declared: [
      { kind: "file", path: file },
      { kind: "kubernetes", path: mounted },
      { kind: "exec", name: "pass", command: ["/bin/echo", '{"KEY": "of the program"}'] },
      vault.declared,
      (await startAws()).declared,
      (await startGcp()).declared,
      await startAzure(),
    ].map((declared) => ({ ...declared, names: ["*"] })),
  },
});
await app.call({ method: "PUT", url: "/api/v1/secrets/KEY", payload: { value: "of the service" } });

/** Answers with the digest of what it was given: the value itself is masked wherever it is seen. */
const start = `${process.execPath} -e "const { createHash } = require('crypto'); require('http').createServer((q, s) => s.end(createHash('sha256').update(process.env.KEY ?? process.env.DEPLOYED_KEY ?? '').digest('hex'))).listen(process.env.PORT, process.env.HOST)"`;

test.for(
  soakCases([
    ["slipway", "KEY", "of the service"],
    ["environment", "DEPLOYED_KEY", "of the environment"],
    ["file", "KEY", "of the file"],
    ["kubernetes", "KEY", "of the cluster"],
    ["pass", "KEY", "of the program"],
    ["vault://teams/shop", "KEY", "sesame"],
    ["aws-secrets-manager", "KEY", "sesame"],
    ["gcp-secret-manager", "KEY", "sesame"],
    ["azure-key-vault", "KEY", "sesame"],
  ] as const),
)(
  "deployed software gets its secret from '%s', and the project of a missing one does not begin",
  async ([provider, name, value]) => {
    const id = provider.replaceAll(/\W+/g, "-");
    const run = (required: readonly string[]) =>
      submit(app, documentOf({ id, secrets: { provider, required }, scripts: { start } }));
    const { status, deployment, error } = await untilEnded(app, await run([name]));
    expect({ status, error }).toEqual({ status: "deployed", error: null });
    const answer = await (await fetch(deployment!.url!)).text();
    expect(answer).toBe(createHash("sha256").update(value).digest("hex"));

    const without = await untilEnded(app, await run([name, "MISSING_ONE", "MISSING_TWO"]));
    expect(without.status).toBe("failed");
    for (const missing of ["MISSING_ONE", "MISSING_TWO"]) expect(without.error?.message).toContain(missing);
  },
);
