// @module-tag soak
import { describe, expect, test } from "vitest";
import { followFlows, noBrowser, serve } from "../../support/verification/follow-flows.ts";

/** Tries every way to reach an address, and says when each is done. */
const reachingPage = (address: string) => `<p id="said"></p><script>
  const ways = [
    fetch("${address}/fetch", { mode: "no-cors" }),
    fetch("/away"),
    new Promise((resolve, reject) => Object.assign(new Image(), { onload: resolve, onerror: reject, src: "${address}/image" })),
    new Promise((resolve, reject) => {
      const socket = new WebSocket("${address.replace("http", "ws")}/socket");
      Object.assign(socket, { onopen: resolve, onerror: reject });
    }),
  ];
  navigator.sendBeacon("${address}/beacon", "x");
  window.open("${address}/popup");
  Promise.allSettled(ways).then(() => { document.body.append("All tried."); });
</script>`;

describe.skipIf(noBrowser !== undefined)("a page", async () => {
  const reached: string[] = [];
  const other = await serve((request, response) => {
    reached.push(request.url ?? "");
    response.writeHead(200, { "access-control-allow-origin": "*", "content-type": "text/html" }).end("Somebody else");
  });
  const service = await serve((_, response) => {
    response.writeHead(200, { "access-control-allow-origin": "*" }).end("from the service");
  });
  const pages: Readonly<Record<string, string>> = {
    "/reach": reachingPage(other),
    "/link": `<a href="${other}/link">Leave</a>`,
    "/service": `<script>fetch("${service}").then((a) => a.text()).then((text) => document.body.append("Got " + text))</script><body>`,
    "/metadata": `<script>fetch("http://169.254.169.254/latest", { mode: "no-cors" }).then(() => document.title = "in", () => document.body.append("No way"))</script><body>`,
    "/alerts": "<button>Go</button><script>onclick = () => { for (;;) alert('again') }</script>",
    "/loop": "<p>Hello</p><script>setTimeout(() => { for (;;); }, 100)</script>",
    "/large": "<script>for (let i = 0; i < 200000; i++) document.write('<p><b>x</b></p>')</script>",
    "/memory": "<script>const all = []; for (;;) all.push(new Uint8Array(1e8).fill(1))</script>",
    "/fine": "<p>All is well</p>",
  };
  const url = await serve((request, response) => {
    const path = request.url ?? "";
    if (path === "/away") response.writeHead(302, { location: `${other}/redirect` }).end();
    else if (path === "/endless") response.writeHead(200, { "content-type": "text/html" }).write("<p>Wait");
    else response.writeHead(200, { "content-type": "text/html" }).end(pages[path] ?? "");
  });
  const flows = {
    reach: ["open /reach", "see All tried"],
    link: ["open /link", "click Leave", "see Somebody else"],
    service: ["open /service", "see Got from the service"],
    metadata: ["open /metadata", "see No way"],
    alerts: ["open /alerts", "click Go", "see done"],
    loop: ["open /loop", "see Goodbye"],
    large: ["open /large", "see y"],
    // Takes two gigabytes until it is ended.
    ...(process.env["SLIPWAY_LONG"] === "1" && { memory: ["open /memory", "see done"] }),
    endless: ["open /endless", "see done"],
    fine: ["open /fine", "see All is well"],
  };
  const names = Object.keys(flows);
  const servicePorts = [Number(new URL(service).port)];
  const { verdicts } = await followFlows(url, Object.values(flows), { servicePorts, stepMs: 6_000, flowMs: 15_000 });
  const of = (name: string) => verdicts.find(({ pointer }) => pointer.endsWith(`/${names.indexOf(name)}`));

  test("reaches no other program of the machine, by whatever way", () => {
    expect(of("reach")).toMatchObject({ verdict: "passed" });
    expect(of("link")).toMatchObject({
      verdict: "failed",
      reason: expect.stringContaining(`The page asked for ${new URL(other).host}, which it cannot reach here.`),
    });
    expect(of("metadata")).toMatchObject({ verdict: "passed" });
    expect(reached).toEqual([]);
  });

  test("reaches the software's services", () => {
    expect(of("service")).toMatchObject({ verdict: "passed" });
  });

  const harmful = ["alerts", "loop", "large", "endless", "memory"].filter((name) => name in flows);
  test.for(harmful)("that does harm is given up: %s", (name) => {
    expect(of(name)).toMatchObject({ verdict: "failed" });
  });

  test("that does harm does not spoil the flows after it", () => {
    expect(of("fine")).toMatchObject({ verdict: "passed" });
  });
});
