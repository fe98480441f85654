import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { type AcceptanceLine, acceptanceLines, matchesStatus } from "@slipway/spec";
import { expect, onTestFinished } from "vitest";
import type { Built } from "./build-document.ts";

export interface Ended {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command line in a folder, to its end. */
export async function runIn(folder: string, command: string, stdin = ""): Promise<Ended> {
  // What the tests of this repository run under must not reach the tests of what they built.
  const { NODE_OPTIONS: _, NODE_TEST_CONTEXT: __, NODE_V8_COVERAGE: ___, ...env } = process.env;
  const child = spawn("/bin/sh", ["-c", command], { cwd: folder, env });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk) => (stdout += chunk));
  child.stderr.on("data", (chunk) => (stderr += chunk));
  child.stdin.on("error", () => {});
  child.stdin.end(stdin);
  const [exitCode] = (await once(child, "close")) as [number | null];
  return { exitCode, stdout, stderr };
}

/** Runs the tests of a Node project, which must pass; the coverage is the least of lines and functions, from 0 to 1. */
export async function testWithCoverage(
  folder: string,
): Promise<{ readonly coverage: number; readonly stdout: string }> {
  const { stdout, stderr, exitCode } = await runIn(
    folder,
    "node --test --experimental-test-coverage --test-reporter=tap",
  );
  expect(exitCode, stdout + stderr).toBe(0);
  const rows = stdout
    .split("\n")
    .map((line) =>
      line
        .replace(/^#\s*/, "")
        .split("|")
        .map((cell) => cell.trim()),
    )
    .filter(([name = "", ...cells]) => cells.length > 2 && /\.[cm]?js$/.test(name) && !/\.test\.[cm]?js$/.test(name));
  expect(rows.length).toBeGreaterThan(0);
  const mean = (column: number) => rows.reduce((sum, row) => sum + Number(row[column]), 0) / rows.length / 100;
  const coverage = Math.min(mean(1), mean(3));
  console.log(`coverage: ${coverage.toFixed(3)}`);
  return { coverage, stdout };
}

/** Starts a result on a free port, until the test is over. */
export async function startIn(folder: string, command: string): Promise<string> {
  const port = await freePort();
  const env = { ...process.env, HOST: "127.0.0.1", PORT: String(port) };
  const child = spawn("/bin/sh", ["-c", command], { cwd: folder, env, detached: true, stdio: "ignore" });
  onTestFinished(() => stop(child));
  const address = `http://127.0.0.1:${port}`;
  for (let waitedMs = 0; waitedMs < 20_000; waitedMs += 50) {
    if (child.exitCode !== null) throw new Error(`'${command}' ended with ${child.exitCode}.`);
    const isUp = await fetch(`${address}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isUp) return address;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`'${command}' does not answer.`);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.pid === undefined) return;
  const closed = once(child, "exit");
  process.kill(-child.pid, "SIGKILL");
  await closed;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}

/** Checks every request and command of the document's acceptance for real; says how many there were. */
export async function checkLines(built: Built, folder: string, address?: string): Promise<number> {
  let checked = 0;
  for (const line of acceptanceLines(built.document)) checked += await checkLine(line, folder, address);
  return checked;
}

async function checkLine({ pointer, check }: AcceptanceLine, folder: string, address?: string): Promise<number> {
  switch (check.kind) {
    case "http_endpoint": {
      const { status, body } = await request(address + check.path, check.method, check.body, check.headers);
      expect(matchesStatus(check.status, status), `${pointer}: ${status} ${body}`).toBe(true);
      for (const text of check.responseContains) expect(body, pointer).toContain(text);
      return 1;
    }
    case "integration_test": {
      let id: unknown;
      for (const { method, path, query, body: sent, status: wanted } of check.steps) {
        const search = new URLSearchParams(query.map(([name, value]) => [name, value])).toString();
        const target = `${address}${path.replace(/\{\w+\}|:\w+/g, String(id))}${search === "" ? "" : `?${search}`}`;
        const { status, body } = await request(target, method, sent, {});
        expect(matchesStatus(wanted, status), `${pointer} ${method} ${target}: ${status} ${body}`).toBe(true);
        if (status === 201) id = JSON.parse(body).id;
      }
      return 1;
    }
    case "command": {
      const { exitCode, stdout, stderr } = await runIn(folder, check.command, check.stdin);
      expect(exitCode, `${pointer}: ${stdout}${stderr}`).toBe(check.exitCode);
      for (const text of check.stdoutContains) expect(stdout, pointer).toContain(text);
      for (const text of check.stderrContains) expect(stderr, pointer).toContain(text);
      return 1;
    }
    default:
      return 0;
  }
}

async function request(url: string, method: string, body: unknown, headers: Readonly<Record<string, string>>) {
  const takesBody = method === "POST" || method === "PUT" || method === "PATCH";
  const response = await fetch(url, {
    method,
    headers: { ...(takesBody && { "content-type": "application/json" }), ...headers },
    ...(takesBody && { body: JSON.stringify(body ?? {}) }),
  });
  return { status: response.status, body: await response.text() };
}
