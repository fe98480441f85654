import { expect, test } from "vitest";
import { only, startNamed, startProgram, startProxy, startRawProgram } from "../../support/proxy/stage.ts";

test.for([
  ["no HTTP", "SSH-2.0-OpenSSH_9.2\r\n"],
  ["a length that is none", "HTTP/1.1 200 OK\r\ncontent-length: many\r\n\r\n"],
  ["two lengths", "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab"],
  [
    "a length and chunks",
    "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n",
  ],
  ["a coding that only it knows", "HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n1\r\na\r\n0\r\n\r\n"],
  ["control characters", "HTTP/1.1 200 OK\r\nx: a\x01b\r\ncontent-length: 0\r\n\r\n"],
  ["a change of the protocol that nobody asked for", "HTTP/1.1 101 Yes\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n"],
  ["endless headers", `HTTP/1.1 200 OK\r\n${"x-y: 0123456789\r\n".repeat(2_000)}`],
])("a program that answers %s is a 502", async ([, bytes]) => {
  const origin = await startRawProgram((socket) => socket.write(bytes!));
  const { url, proxy } = await startProxy(only("v1", origin));
  const answer = await fetch(url);
  expect([answer.status, await answer.text()]).toEqual([502, expect.stringContaining("did not answer as it should")]);
  expect(proxy.traffic()).toMatchObject([{ requests: 1, dropped: 1, failed: 0, inFlight: 0 }]);
});

test.for(["content-length: 100\r\n\r\nhalf", "transfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n"])(
  "an answer that breaks off is cut at the client, and counted: %j",
  async (rest) => {
    const origin = await startRawProgram((socket) => socket.end(`HTTP/1.1 200 OK\r\n${rest}`));
    const { url, proxy } = await startProxy(only("v1", origin));
    const answer = await fetch(url);
    expect(answer.status).toBe(200);
    await expect(answer.text()).rejects.toThrow("terminated");
    expect(proxy.traffic()).toMatchObject([{ requests: 1, dropped: 1, inFlight: 0 }]);
  },
);

test("a reason in words of another language costs the reason, not the answer", async () => {
  const origin = await startRawProgram((socket) => socket.write("HTTP/1.1 200 はい\r\ncontent-length: 2\r\n\r\nok"));
  const { url } = await startProxy(only("v1", origin));
  const answer = await fetch(url);
  expect([answer.status, answer.statusText, await answer.text()]).toEqual([200, "OK", "ok"]);
});

test("a program that never answers is a 504", async () => {
  const program = await startProgram(() => undefined);
  const { url } = await startProxy(only("v1", program.origin), { answerMs: 50 });
  expect((await fetch(url)).status).toBe(504);
});

test.for(["GET", "HEAD", "OPTIONS"])(
  "%s is sent to another instance when one breaks the connection",
  async (method) => {
    const [dying, living] = [
      await startProgram((request) => request.socket.resetAndDestroy()),
      await startNamed("living"),
    ];
    const { url, proxy } = await startProxy(only("v1", dying.origin, living.origin));
    for (let turn = 0; turn < 4; turn += 1)
      expect((await fetch(url, { method })).headers.get("x-release")).toBe("living");
    expect(proxy.traffic()).toMatchObject([{ requests: 4, dropped: 0 }]);
  },
);

test("a change is never sent twice: it is a 502 when the connection breaks", async () => {
  let requests = 0;
  const programs = await Promise.all(
    [1, 2].map(() =>
      startProgram((request) => {
        requests += 1;
        request.socket.resetAndDestroy();
      }),
    ),
  );
  const { url, proxy } = await startProxy(only("v1", ...programs.map(({ origin }) => origin)));
  for (const init of [{ method: "POST", body: "x" }, { method: "DELETE" }, { method: "OPTIONS", body: "x" }])
    expect((await fetch(url, init)).status).toBe(502);
  expect(requests).toBe(3);
  expect(proxy.traffic()).toMatchObject([{ requests: 3, dropped: 3 }]);
});

test("a change that no instance has seen goes to the next one, with its whole body", async () => {
  const dead = await startNamed("dead");
  const living = await startProgram((request, response) => request.pipe(response));
  const { url, proxy } = await startProxy(only("v1", dead.origin, living.origin));
  // Now, as the proxy could else listen at its port, and ask itself.
  dead.die();
  const body = "x".repeat(300_000);
  for (let turn = 0; turn < 3; turn += 1) {
    const answer = await fetch(url, { method: "POST", body });
    expect([answer.status, (await answer.text()) === body]).toEqual([200, true]);
  }
  expect(proxy.traffic()).toMatchObject([{ requests: 3, dropped: 0 }]);
});

test("the only instance is asked once more when it closed an unused connection", async () => {
  let isFirst = true;
  const program = await startProgram((request, response) => {
    if (isFirst) request.socket.destroy();
    else response.end("second");
    isFirst = false;
  });
  const { url } = await startProxy(only("v1", program.origin));
  expect(await (await fetch(url)).text()).toBe("second");
});

test.for([1, 2, 4])("a request is a 502 when all %i instances are gone", async (count) => {
  const dead = await Promise.all(Array.from({ length: count }, () => startNamed("dead")));
  const { url, proxy } = await startProxy(only("v1", ...dead.map(({ origin }) => origin)));
  // Now, as the proxy could else listen at the port of one, and ask itself.
  for (const one of dead) one.die();
  expect((await fetch(url)).status).toBe(502);
  expect((await fetch(url, { method: "POST", body: "x" })).status).toBe(502);
  expect(proxy.traffic()).toMatchObject([{ requests: 2, dropped: 2, inFlight: 0 }]);
  expect(proxy.unserved).toBe(0);
});
