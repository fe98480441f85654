import { once } from "node:events";
import { type IncomingMessage, request, type ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { only, startNamed, startProgram, startProxy, startRawProgram } from "../../support/proxy/stage.ts";

describe("an event stream", () => {
  test("passes event by event, its headers before the first, and stays with its release after a switch", async () => {
    const { program, streams } = await startEvents();
    const { proxy, url } = await startProxy(only("old", program.origin));
    const answer = await fetch(url);
    const events = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
    const [stream] = streams;
    stream!.write("data: 1\n\n");
    expect((await events.read()).value).toBe("data: 1\n\n");
    proxy.route(only("new", (await startNamed("new")).origin));
    expect(await (await fetch(url)).text()).toBe("new");
    stream!.write("data: 2\n\n");
    expect((await events.read()).value).toBe("data: 2\n\n");
    stream!.end();
    expect((await events.read()).done).toBe(true);
    expect(await proxy.drained("old", 30_000)).toBe(0);
  });

  test("is ended, not broken, when its release is given no more time", async () => {
    const { program } = await startEvents();
    const { proxy, url } = await startProxy(only("old", program.origin));
    const answer = await fetch(url);
    expect(await proxy.drained("old", 1)).toBe(1);
    expect(await answer.text()).toBe("");
    expect(proxy.traffic()).toMatchObject([{ requests: 1, dropped: 0, inFlight: 0 }]);
  });

  test("is ended at the program when the client goes away", async () => {
    const { program, streams } = await startEvents();
    const { proxy, url } = await startProxy(only("v1", program.origin));
    const client = new AbortController();
    await fetch(url, { signal: client.signal });
    const closed = once(streams[0]!, "close");
    client.abort();
    await closed;
    expect(await proxy.drained("v1", 30_000)).toBe(0);
    expect(proxy.traffic()).toMatchObject([{ requests: 1, dropped: 0, failed: 0 }]);
  });

  async function startEvents() {
    const streams: ServerResponse[] = [];
    const program = await startProgram((_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
      streams.push(response);
    });
    return { program, streams };
  }
});

describe("an upgraded connection", () => {
  test("passes bytes both ways, also those sent at once, and stays with its release after a switch", async () => {
    const { proxy, port } = await startEcho();
    const socket = upgrade(port, "first ");
    expect(await readUntil(socket, "echo: first ")).toMatch(
      /^HTTP\/1\.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: websocket\r\n(?:x-own: 1\r\n|set-cookie: ours-not=1\r\n){2}\r\necho: first $/,
    );
    proxy.route(only("new", (await startNamed("new")).origin));
    socket.write("second ");
    await readUntil(socket, "echo: second ");
    const ended = once(socket, "end");
    socket.end("bye");
    await ended;
    expect(await proxy.drained("old", 30_000)).toBe(0);
    expect(proxy.traffic()[0]).toMatchObject({ release: "old", requests: 1, dropped: 0 });
  });

  test("passes much in both directions without keeping it", async () => {
    const { port } = await startEcho();
    const socket = upgrade(port, "");
    await readUntil(socket, "\r\n\r\n");
    const bytes = 10_000_000;
    let received = 0;
    socket.removeAllListeners("data").on("data", (chunk) => {
      received += chunk.length;
    });
    const ended = once(socket, "end");
    const chunk = Buffer.alloc(100_000, "x");
    for (let sent = 0; sent < bytes; sent += chunk.length) if (!socket.write(chunk)) await once(socket, "drain");
    socket.end();
    await ended;
    expect(received).toBeGreaterThanOrEqual(bytes);
  });

  test("is closed when its release is given no more time", async () => {
    const { proxy, port } = await startEcho();
    const socket = upgrade(port, "x");
    await readUntil(socket, "echo: x");
    const closed = once(socket, "close");
    expect(await proxy.drained("old", 1)).toBe(1);
    await closed;
    expect(await proxy.drained("old", 30_000)).toBe(0);
  });

  test("that the program refuses gets its answer", async () => {
    const { port } = await startProxy(only("v1", (await startNamed("v1")).origin));
    expect(await readToEnd(upgrade(port, ""))).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\nv1$/);
  });

  test("without a program is a 503, and with a dead one a 502", async () => {
    const { proxy, port } = await startProxy([]);
    expect(await readToEnd(upgrade(port, ""))).toMatch(/^HTTP\/1\.1 503 /);
    const dead = await startNamed("dead");
    dead.die();
    proxy.route(only("v1", dead.origin));
    expect(await readToEnd(upgrade(port, ""))).toMatch(/^HTTP\/1\.1 502 /);
  });

  test("that the program answers with nonsense is a 502", async () => {
    const origin = await startRawProgram((socket) =>
      socket.write("HTTP/1.1 101 Yes\r\nconnection: upgrade\r\nupgrade: websocket\r\ntransfer-encoding: gzip\r\n\r\n"),
    );
    const { port, proxy } = await startProxy(only("v1", origin));
    expect(await readToEnd(upgrade(port, ""))).toMatch(/^HTTP\/1\.1 502 /);
    expect(proxy.traffic()).toMatchObject([{ requests: 1, dropped: 1, inFlight: 0 }]);
  });

  test.for([
    ["to HTTP/2 in the clear", "GET", "upgrade: h2c\r\nhttp2-settings: AAMAAABk\r\n"],
    ["with a body", "POST", "upgrade: websocket\r\ncontent-length: 2\r\n"],
  ])("%s is not made: the request is an ordinary one", async ([, method, headers]) => {
    const program = await startProgram((request, response) => {
      response.end(`${request.headers.upgrade} ${request.headers["http2-settings"]}`);
    });
    program.server.on("upgrade", (_request, socket: Duplex) => socket.end("HTTP/1.1 101 Yes\r\n\r\n"));
    const { port } = await startProxy(only("v1", program.origin));
    const socket = connect(port, "127.0.0.1");
    socket.write(`${method} / HTTP/1.1\r\nhost: a\r\nconnection: upgrade, http2-settings, close\r\n${headers}\r\nxx`);
    expect(await readToEnd(socket)).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*undefined undefined/);
  });

  /** A program that gives back what it gets. */
  async function startEcho() {
    const program = await startProgram(() => undefined);
    program.server.on("upgrade", (_request: IncomingMessage, socket: Duplex, head: Buffer) => {
      socket.write("HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n");
      socket.write("x-own: 1\r\nset-cookie: ours=1\r\nset-cookie: ours-not=1\r\n\r\n");
      socket.on("error", () => undefined);
      if (head.length > 0) socket.unshift(head);
      socket.on("data", (bytes: Buffer) => {
        if (!socket.write(bytes.length > 1_000 ? bytes : `echo: ${bytes}`)) socket.pause();
      });
      socket.on("drain", () => socket.resume()).on("end", () => socket.end());
    });
    return startProxy(only("old", program.origin), { stripCookies: ["ours"] });
  }
});

describe("large bodies", () => {
  test("pass both ways at the pace of who takes them, without being kept", { tags: "long" }, async () => {
    const bytes = 60_000_000;
    let [held, most] = [0, 0];
    const program = await startProgram((incoming, response) => {
      // Counts what is between the client that sends and the client that receives.
      incoming.on("data", (chunk: Buffer) => {
        held -= chunk.length;
        if (!response.write(chunk)) incoming.pause();
      });
      response.on("drain", () => incoming.resume());
      incoming.on("end", () => response.end());
    });
    const { port } = await startProxy(only("v1", program.origin));
    const sent = request({ port, host: "127.0.0.1", method: "POST", headers: { "content-length": bytes } });
    const answered = once(sent, "response") as Promise<[IncomingMessage]>;
    const chunk = Buffer.alloc(100_000);
    const sending = (async () => {
      for (let count = 0; count < bytes; count += chunk.length) {
        held += chunk.length;
        most = Math.max(most, held);
        if (!sent.write(chunk)) await once(sent, "drain");
      }
      sent.end();
    })();
    const [answer] = await answered;
    let received = 0;
    for await (const part of answer) received += (part as Buffer).length;
    await sending;
    expect(received).toBe(bytes);
    // Buffers of the kernel and of four streams, not a share of the body.
    expect(most).toBeLessThan(20_000_000);
  });

  test("come no faster than a client reads", async () => {
    const bytes = 60_000_000;
    let [written, read, most] = [0, 0, 0];
    const program = await startProgram((_request, response) => {
      const chunk = Buffer.alloc(100_000);
      const fill = () => {
        while (written < bytes) {
          written += chunk.length;
          if (!response.write(chunk)) return;
        }
        response.end();
      };
      response.on("drain", fill);
      fill();
    });
    const { port } = await startProxy(only("v1", program.origin));
    const socket = connect(port, "127.0.0.1");
    socket.write("GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");
    for await (const part of socket) {
      read += (part as Buffer).length;
      most = Math.max(most, written - read);
      // All others of this process get their turn.
      for (let turn = 0; turn < 3; turn += 1) await setImmediate();
    }
    expect(read).toBeGreaterThan(bytes);
    expect(most).toBeLessThan(30_000_000);
  });

  test("that the program does not want are read to their end, so that the client can read why", async () => {
    const program = await startProgram((_request, response) => {
      response.writeHead(413).end("too large");
    });
    const { port } = await startProxy(only("v1", program.origin));
    const bytes = 20_000_000;
    const socket = connect(port, "127.0.0.1");
    const answers = readUntil(socket, "0\r\n\r\n", 2);
    socket.write(`POST / HTTP/1.1\r\nhost: a\r\ncontent-length: ${bytes}\r\n\r\n`);
    for (let count = 0; count < bytes; count += 100_000)
      if (!socket.write(Buffer.alloc(100_000))) await once(socket, "drain");
    socket.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
    expect((await answers).match(/^HTTP\/1\.1 413 /gm)).toHaveLength(2);
    socket.destroy();
  });
});

test("a body that nobody takes is read to its end, so that the next request can follow", async () => {
  const { port } = await startProxy([]);
  const socket = connect(port, "127.0.0.1");
  const answers = readUntil(socket, "in a moment.\n", 2);
  socket.write("POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 3000000\r\n\r\n");
  socket.write(Buffer.alloc(3_000_000));
  socket.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
  expect((await answers).match(/^HTTP\/1\.1 503 /gm)).toHaveLength(2);
  socket.destroy();
});

test("connections above the limit are closed, and the others served", async () => {
  const { port } = await startProxy(only("v1", (await startNamed("v1")).origin), { maxConnections: 1 });
  const first = connect(port, "127.0.0.1");
  await once(first, "connect");
  const answer = readUntil(first, "v1");
  first.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
  await answer;
  const second = connect(port, "127.0.0.1");
  expect(await readToEnd(second)).toBe("");
  first.destroy();
});

test("one connection cannot fill the memory with requests", async () => {
  let reached = 0;
  const program = await startProgram(() => {
    reached += 1;
  });
  const { proxy, port } = await startProxy(only("v1", program.origin));
  const socket = connect(port, "127.0.0.1");
  const closed = Promise.withResolvers<void>();
  socket.on("error", () => undefined).on("close", () => closed.resolve());
  socket.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n".repeat(5_000));
  await closed.promise;
  expect(await proxy.drained("v1", 30_000)).toBe(0);
  expect(reached).toBeLessThanOrEqual(33);
});

test("requests sent before the answers to those before are answered in their order", async () => {
  const program = await startProgram((incoming, response) => response.setHeader("content-length", 2).end(incoming.url));
  const { port } = await startProxy(only("v1", program.origin));
  const socket = connect(port, "127.0.0.1");
  const answers = readUntil(socket, "/9");
  socket.write([..."0123456789"].map((name) => `GET /${name} HTTP/1.1\r\nhost: a\r\n\r\n`).join(""));
  expect((await answers).match(/\/\d(?=HTTP|$)/g)!.join("")).toBe("/0/1/2/3/4/5/6/7/8/9");
  socket.destroy();
});

test("a client that waits for 100 Continue gets it only where a program takes the request", async () => {
  const { proxy, port } = await startProxy([]);
  const ask = async () => {
    const sent = request({
      port,
      host: "127.0.0.1",
      method: "PUT",
      headers: { expect: "100-continue", "content-length": 2 },
    });
    let continued = 0;
    sent.on("continue", () => {
      continued += 1;
      sent.end("ok");
    });
    sent.flushHeaders();
    const [answer] = (await once(sent, "response")) as [IncomingMessage];
    answer.resume();
    sent.destroy();
    return [answer.statusCode, continued];
  };
  expect(await ask()).toEqual([503, 0]);
  const [program, dead] = [
    await startProgram((incoming, response) => incoming.pipe(response)),
    await startNamed("dead"),
  ];
  dead.die();
  proxy.route(only("v1", dead.origin, program.origin));
  expect([await ask(), await ask()]).toEqual([
    [200, 1],
    [200, 1],
  ]);
});

test("trailers of an answer pass", async () => {
  const program = await startProgram((_request, response) => {
    response.writeHead(200, { trailer: "x-sum" }).write("body");
    response.addTrailers({ "x-sum": "42", "set-cookie": "ours=1" });
    response.end();
  });
  const { url } = await startProxy(only("v1", program.origin), { stripCookies: ["ours"] });
  const [answer] = (await once(request(url).end(), "response")) as [IncomingMessage];
  for await (const _ of answer);
  expect([answer.headers.trailer, answer.trailers]).toEqual(["x-sum", { "x-sum": "42" }]);
});

test("a body that stops coming is given up", async () => {
  const program = await startProgram((incoming) => incoming.resume());
  const { port, proxy } = await startProxy(only("v1", program.origin), { bodyPauseMs: 50 });
  const socket = connect(port, "127.0.0.1");
  socket.write("POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\nhalf");
  expect(await readToEnd(socket)).toMatch(/^HTTP\/1\.1 408 /);
  expect(proxy.traffic()).toMatchObject([{ inFlight: 0, dropped: 0 }]);
});

test("headers that stop coming are given up", async () => {
  const { port } = await startProxy([], { headersMs: 50 });
  const socket = connect(port, "127.0.0.1");
  socket.write("GET / HTTP/1.1\r\nhost: ");
  expect(await readToEnd(socket)).toMatch(/^HTTP\/1\.1 408 /);
});

function upgrade(port: number, first: string): Socket {
  const socket = connect(port, "127.0.0.1");
  socket.write(`GET /chat HTTP/1.1\r\nhost: a\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\r\n${first}`);
  return socket;
}

/** What came until it ended so, for the first or a later time. */
function readUntil(socket: Socket, end: string, times = 1): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  let text = "";
  socket.on("data", (bytes) => {
    text += bytes.toString("latin1");
    if (text.endsWith(end) && text.split(end).length > times) resolve(text);
  });
  return promise;
}

async function readToEnd(socket: Socket): Promise<string> {
  let text = "";
  for await (const bytes of socket) text += (bytes as Buffer).toString("latin1");
  return text;
}
