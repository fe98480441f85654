/**
 * Carries out flows in a browser. It runs in the sandbox, together with the browser: it gets what to do on standard input,
 * says on standard output what became of it, a line a message, and leaves pictures and traces in its folder.
 */
import { text } from "node:stream/consumers";
import { type Browser, chromium } from "playwright-core";
import { carryOut } from "./carry-out.ts";
import { startProxy } from "./filter-proxy.ts";
import type { FlowsToCarryOut, Message } from "./messages.ts";

const toDo = JSON.parse(await text(process.stdin)) as FlowsToCarryOut;
const proxyPort = await startProxy(toDo);
const browser = await launch();
for (const [index, steps] of toDo.flows.entries()) {
  const onStep = (step: number) => say({ is: "step", step });
  const end = await carryOut(browser, { ...toDo, steps, name: `flow-${toDo.first + index}`, onStep });
  say({ is: "done", ...end });
  // A page that keeps the browser busy must not spoil the flows after it: they get another browser.
  if (end.isStuck) break;
}
// The browser ends with the sandbox, however busy it is.
process.exit(0);

function say(message: Message): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

function launch(): Promise<Browser> {
  const { program, hasOwnSandbox } = toDo;
  return chromium.launch({
    executablePath: program,
    // Where bubblewrap contains it already, its own sandbox cannot be made.
    chromiumSandbox: hasOwnSandbox,
    proxy: { server: `http://127.0.0.1:${proxyPort}`, bypass: "<-loopback>" },
    args: [
      ...["--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-extensions"],
      ...["--disable-blink-features=AutomationControlled", "--force-webrtc-ip-handling-policy=disable_non_proxied_udp"],
      "--disable-features=AutofillServerCommunication,Translate,MediaRouter,OptimizationHints",
      // Names are the proxy's business, which knows none but the software's.
      "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    ],
    timeout: 30_000,
  });
}
