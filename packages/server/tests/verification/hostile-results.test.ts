import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { parsePerformanceLimit } from "@slipway/spec";
import { expect, onTestFinished, test } from "vitest";
import { Masker } from "../../src/platform/secrets/index.ts";
import { judgePerformance } from "../../src/verification/probes/check-performance.ts";
import { measureLoad } from "../../src/verification/probes/measure-load.ts";
import { Probe } from "../../src/verification/probes/probe.ts";
import { summariseCoverage } from "../../src/verification/tests/code-coverage/measure-coverage.ts";
import { readSourceLines } from "../../src/verification/tests/code-coverage/source-lines.ts";
import { checksOf } from "../../src/verification/tests/count-assertions.ts";
import { parseTestScript } from "../../src/verification/tests/parse-script.ts";
import { readGoEvents } from "../../src/verification/tests/read-go-events.ts";
import { withoutStack } from "../../src/verification/tests/to-cases.ts";
import { onlyRoot } from "../support/verification/packages.ts";

const { signal } = new AbortController();

async function serve(answer: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on("error", () => undefined));
    socket.on("data", () => answer(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
}

const idle = { path: "/", connections: 2, readyMs: 1, peakMemoryBytes: 1 };

function performanceLines(limits: Readonly<Record<string, number>>): Parameters<typeof judgePerformance>[0] {
  return Object.entries(limits).map(([metric, value]) => ({
    pointer: `/acceptance/performance/${metric}`,
    check: { kind: "performance" as const, metric, limit: parsePerformanceLimit(metric, value)! },
  })) as never;
}

// Each of these texts once held the service up for minutes or for ever.

test("scripts that call each other again and again are not read for ever", () => {
  const script = Array(300).fill("npm test").join(" && ");
  expect(parseTestScript(script, onlyRoot({ test: script }))).toBeUndefined();
  const some = parseTestScript("npm run a && npm run a", onlyRoot({ a: "node --test" }));
  expect(some).toHaveLength(2);
});

test("texts and names made to keep expressions busy are read in bounded time", { tags: "long" }, () => {
  expect(checksOf(`test("a", () => {});\n${"it.".repeat(300_000)}`, "a").assertions).toBe(0);
  expect(checksOf("assert.ok(1 + 1)", "[".repeat(4_000_000)).assertions).toBe(1);
  expect(checksOf('test("a", () => assert.ok(b))', "a[1, [2]]")).toMatchObject({ assertions: 1 });
  const packages = Array.from({ length: 200_000 }, (_, at) => `{"Action":"fail","Package":"a${at}"}`);
  expect(readGoEvents(packages.join("\n"), 20_000)).toHaveLength(20_000);
  for (let at = 0; at < 2_000; at += 1) withoutStack("\n".repeat(8_000));
  expect(withoutStack("no\n    at a.js:1")).toBe("no");
});

test("sources full of comments or functions are read in bounded time", { tags: "long" }, async () => {
  const ignore = "/* c8 ignore next 99999 */\n".repeat(30_000);
  expect(readSourceLines({ path: "a.js", text: ignore, language: "javascript" }).hidden.size).toBe(30_001);
  const nested = "/* c8 ignore next */{\n".repeat(40_000);
  expect(readSourceLines({ path: "a.js", text: nested, language: "javascript" }).hidden.size).toBe(40_001);
  const text = "func\n".repeat(100_000);
  const lines = new Map(Array.from({ length: 100_000 }, (_, at) => [at + 1, at % 2] as const));
  const raw = { method: "go", listsEveryLine: false, files: [{ path: "m/a.go", lines, functions: [] }] };
  const { functions } = await summariseCoverage(raw, [{ path: "a.go", text, language: "go" }], { roots: [] });
  expect(functions).toEqual({ covered: 50_000, total: 100_000 });
});

test("large answers are not kept in memory once they are judged", { tags: "long" }, async () => {
  const body = "a".repeat(1024 * 1024);
  const url = await serve((socket) => socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`));
  const network = {
    timeouts: { connect_seconds: 5, read_seconds: 5 },
    retries: { max_attempts: 1, backoff_factor: 1 },
  };
  const software = {
    url,
    token: "",
    readyMs: 1,
    whyEnded: async () => undefined,
    stop: async () => ({ peakMemoryBytes: 0 }),
  };
  const probe = new Probe(software, { network } as ConstructorParameters<typeof Probe>[1], {
    signal,
    masker: new Masker([]),
  });
  for (let at = 0; at < 40; at += 1) {
    const { answer } = await probe.send("/a", { method: "GET", path: "/", headers: {} });
    expect(answer?.text).toHaveLength(body.length);
  }
  expect(probe.kept).toHaveLength(40);
  const chars = probe.kept.reduce((sum, { answer }) => sum + (answer?.text.length ?? 0), 0);
  expect(chars).toBeGreaterThan(64 * 1024 - 1);
  expect(chars).toBeLessThanOrEqual(1024 * 1024);
});

test("answers that nobody asked for do not raise the throughput", { tags: "long" }, async () => {
  const one = "HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\na";
  const early = "HTTP/1.1 103 Early Hints\r\n\r\n";
  for (const answers of [one.repeat(50), early.repeat(50)]) {
    const url = await serve((socket) => socket.write(answers));
    const { requests, errors } = await measureLoad({ url, headers: {}, connections: 2, durationMs: 1_000 }, signal);
    expect(requests).toBeGreaterThan(0);
    expect(errors / requests).toBeGreaterThan(0.5);
  }
});

test.for([
  [{}, 0.005, "passed"],
  [{}, 0.02, "failed"],
  [{ error_rate: 0.05 }, 0.02, "passed"],
  [{ error_rate: 0.05 }, 0.06, "failed"],
  [{ error_rate: 0.001 }, 0.005, "passed"],
] as const)("with limits %j, and %d of the answers errors, quick answers have %s", ([limits, share, expected]) => {
  const load = {
    requests: 2_000,
    good: 2_000 * (1 - share),
    refused: 0,
    errors: 2_000 * share,
    unanswered: 0,
    seconds: 2,
    averageMs: 1,
    percentilesMs: { 95: 1 },
  };
  const asked = { response_time_p95_ms: 150, throughput: 500, ...limits };
  const [times, throughput] = judgePerformance(performanceLines(asked), { ...idle, load });
  expect([times!.verdict, throughput!.verdict]).toEqual([expected, expected]);
  expect(times!.reason).toEqual(expect.stringContaining(`${2_000 * share} failed`));
});

test("errors are not throughput", () => {
  const answered = { requests: 2_000, good: 1_400, refused: 0, errors: 600 };
  const load = { ...answered, unanswered: 0, seconds: 2, averageMs: 1, percentilesMs: {} };
  const [, throughput] = judgePerformance(performanceLines({ error_rate: 0.5, throughput: 800 }), { ...idle, load });
  expect(throughput).toMatchObject({ verdict: "failed", measured: [{ value: 700 }] });
});

test("software that stops answering under load is as slow as it is silent, and fails", { tags: "long" }, async () => {
  let answers = 0;
  const url = await serve((socket) => {
    answers += 1;
    if (answers <= 60) socket.write("HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\na");
  });
  const load = await measureLoad({ url, headers: {}, connections: 2, durationMs: 2_000 }, signal);
  expect(load).toMatchObject({ requests: 60, errors: 0 });
  const limits = { response_time_p95_ms: 150, response_time_avg_ms: 150, error_rate: 0.01, concurrent_users: 2 };
  const lines = performanceLines(limits);
  const measured = { ...idle, load };
  const verdicts = judgePerformance(lines, measured);
  expect(verdicts.map(({ verdict }) => verdict)).toEqual(["failed", "failed", "failed", "failed"]);
  const well = { ...measured, load: { ...load, unanswered: 0, averageMs: 1, percentilesMs: { 95: 1 } } };
  expect(judgePerformance(lines, well).map(({ verdict }) => verdict)).toEqual(Array(4).fill("passed"));
});
