import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSandbox, type Sandbox } from "../../../src/platform/sandbox/index.ts";
import { checkFlows, findBrowser } from "../../../src/verification/browser/index.ts";
import { noBubblewrap } from "../sandboxes.ts";
import { whenDone } from "../when-done.ts";

/** Why tests with a browser are skipped on this machine; undefined if they run. */
export const noBrowser = noBubblewrap ?? ((await findBrowser()) === undefined ? "there is no Chromium" : undefined);
if (noBrowser !== undefined) console.warn(`tests with a browser are skipped: ${noBrowser}`);

let sandbox: Promise<Sandbox> | undefined;

type Options = Partial<Omit<Parameters<typeof checkFlows>[1], "lines" | "url">>;

/** Follows flows, all in one browser; gives their verdicts in order, and the evidence. */
export async function followFlows(
  url: string,
  flows: readonly unknown[],
  options: Options = {},
): ReturnType<typeof checkFlows> {
  sandbox ??= createSandbox({ mode: "auto", dataFolder: join(tmpdir(), "slipway-flows-data") });
  const lines = flows.map((value, index) => ({
    pointer: `/acceptance/ux_flows/${index}`,
    check: { id: `ux_flows[${index}]`, kind: "named", name: "ux_flows", value } as const,
  }));
  const { signal } = new AbortController();
  return checkFlows(await sandbox, { servicePorts: [], secrets: [], signal, ...options, lines, url });
}

/** Serves until the tests of the file are over; gives its address. */
export async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  whenDone(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
