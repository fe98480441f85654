import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildDashboard, ownDashboard } from "../../../../../tools/build-dashboard.ts";
import { freePort } from "../../../../../tools/free-port.ts";
import { findBrowser } from "../../../src/verification/browser/find-browser.ts";
import { newPage } from "../../support/new-page.ts";
import { startOidcServer } from "../../support/oauth/oidc-server.ts";
import { createTestApp } from "../../support/test-app.ts";

const program = await findBrowser();
if (program === undefined) console.warn("tests of signing in are skipped: there is no Chromium");
const cli = fileURLToPath(new URL("../../../../cli/bin/slipway.cjs", import.meta.url));

describe.skipIf(program === undefined)("in a browser", async () => {
  await buildDashboard(ownDashboard);
  const port = await freePort();
  const publicUrl = `http://127.0.0.1:${port}`;
  const oidc = await startOidcServer([`${publicUrl}/sign-in/sso`]);
  const declared = {
    ...{ provider: "custom", name: "sso", label: "Acme", issuer: oidc.issuer, roles_at: "/realm/roles" },
    ...{ client_id: "slipway", client_secret: "sesame-of-the-provider-4711", role_mapping: { developer: "svc:user" } },
  };
  const app = await createTestApp({ publicUrl, oauth: { declared, file: "slipway.yaml" } });
  await app.http.listen({ host: "127.0.0.1", port });
  // Times of use are noted by the clock of the service.
  app.clock.run();
  const folder = await mkdtemp(join(tmpdir(), "slipway-login-"));
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: program!,
      chromiumSandbox: process.getuid?.() !== 0,
      args: ["--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"],
    });
  });
  afterAll(async () => {
    await browser?.close();
    await rm(folder, { recursive: true, force: true });
  });

  test("somebody signs in with a provider, lets the command line in, and ends it again", { tags: "long" }, async () => {
    oidc.accounts.set("ada", { preferred_username: "ada", realm: { roles: ["developer"] } });
    const page = await newPage(browser);
    await page.goto(`${publicUrl}/new`);
    await page.getByRole("button", { name: "Sign in with Acme" }).click();
    await page.waitForURL(`${publicUrl}/new`);
    await page.getByTitle("Signed in as ada").waitFor();

    const env = { ...process.env, SLIPWAY_CONTEXTS: join(folder, "contexts.json"), SLIPWAY_URL: "", SLIPWAY_TOKEN: "" };
    const login = spawn(process.execPath, [cli, "login", publicUrl, "--web", "--context", "work"], {
      env,
      cwd: folder,
    });
    const told = text(login.stdout);
    let said = "";
    login.stderr.on("data", (chunk: Buffer) => {
      said += String(chunk);
    });
    const ended = once(login, "close");
    await expect.poll(() => said).toMatch(/shows the code [A-Z]{4}-[A-Z]{4}/);
    await page.goto(/Open (\S+)/.exec(said)![1]!);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText(/wants to do everything that you may do/).waitFor();
    await page.getByRole("button", { name: "Let it in" }).click();
    await page.getByText("It is logged in").waitFor();
    expect((await ended)[0], said).toBe(0);
    expect(await told).toBe(`Logged in to ${publicUrl} as ada (svc:user)\n`);
    const { contexts } = JSON.parse(await readFile(join(folder, "contexts.json"), "utf8")) as {
      contexts: { work: { token: string } };
    };
    expect((await app.call({ url: "/api/v1/projects", token: contexts.work.token })).statusCode).toBe(200);

    await page.getByRole("link", { name: "Sign-ins" }).click();
    await page.getByText(/slipway on/).waitFor();
    await page.getByRole("button", { name: "End" }).click();
    await expect.poll(() => page.getByText(/slipway on/).count()).toBe(0);
    expect((await app.call({ url: "/api/v1/projects", token: contexts.work.token })).statusCode).toBe(401);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByText("Sign in to Slipway").waitFor();
    await page.context().close();
  });

  test("somebody without a role is told why, and what was in the address is gone from it", {
    tags: "long",
  }, async () => {
    oidc.accounts.set("eve", { preferred_username: "eve", realm: { roles: ["guest"] } });
    oidc.current = "eve";
    const page = await newPage(browser);
    await page.goto(publicUrl);
    await page.getByRole("button", { name: "Sign in with Acme" }).click();
    await page.getByText("Acme knows you as eve, with guest. None of that has a role here.").waitFor();
    expect(page.url()).toBe(`${publicUrl}/sign-in`);
    await page.context().close();
  });

  test("an address that somebody else made signs nobody in", async () => {
    const page = await newPage(browser);
    await page.goto(`${publicUrl}/sign-in/sso?code=stolen&state=made-up`);
    await page.getByText("This sign-in was not begun in this browser").waitFor();
    await page.context().close();
  });
});
