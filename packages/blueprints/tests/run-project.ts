import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { promisify } from "node:util";
import {
  type AcceptanceLine,
  acceptanceLines,
  type CompleteSpec,
  matchesStatus,
  type StatusMatch,
} from "@slipway/spec";
import { onTestFinished } from "vitest";

const execute = promisify(execFile);

/** Runs a command of a built project as a person would; answers how it ended and what it printed. */
export async function runCommand(folder: string, command: string): Promise<{ code: number; output: string }> {
  try {
    const { stdout, stderr } = await execute("sh", ["-c", command], { cwd: folder, env: environment() });
    return { code: 0, output: stdout + stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, output: stdout + stderr };
  }
}

/** Tests that run inside a test runner of Node would report to that one. */
function environment(): NodeJS.ProcessEnv {
  const { NODE_TEST_CONTEXT: _, NODE_OPTIONS: __, ...rest } = process.env;
  return rest;
}

/** The share of the source that the project's own tests cover: the lesser of lines and functions. */
export async function measureCoverage(folder: string): Promise<{ share: number; output: string }> {
  const { output } = await runCommand(folder, "node --test --experimental-test-coverage");
  const [, lines, functions] = /all files\s*\|\s*([\d.]+)\s*\|\s*[\d.]+\s*\|\s*([\d.]+)/.exec(output) ?? [];
  return { share: Math.min(Number(lines), Number(functions)) / 100, output };
}

/** The same for Python: the share of lines, by its own tracer. */
export async function measurePythonCoverage(
  folder: string,
  command: string,
): Promise<{ share: number; output: string }> {
  const runs = command
    .split(" && ")
    .map((run) =>
      run.replace(
        "python3 -m unittest",
        "python3 -m trace --count --missing --file .counts --coverdir .cover --summary --ignore-dir=/usr --module unittest",
      ),
    );
  const { output } = await runCommand(folder, runs.join(" && "));
  const rows = [...output.matchAll(/^\s*(\d+)\s+(\d+)%\s+service\./gm)].map(
    ([, lines, share]) => [Number(lines), Number(share)] as const,
  );
  const all = rows.reduce((sum, [lines]) => sum + lines, 0);
  return { share: rows.reduce((sum, [lines, share]) => sum + lines * share, 0) / all / 100, output };
}

export const token = "the token of the test";

/** Starts a project with its own start command, for the time of a test. */
export async function startProject(folder: string, command: string, variable = "API_TOKEN"): Promise<string> {
  const port = await freePort();
  const env = { ...environment(), HOST: "127.0.0.1", PORT: String(port), [variable]: token };
  const child = spawn("sh", ["-c", `exec ${command}`], {
    cwd: folder,
    env,
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => stopProject(child));
  // Before the line in which it says so, npm may print lines of its own.
  await new Promise<void>((resolve, reject) => {
    let said = "";
    child.stdout.on("data", (chunk) => {
      said += chunk;
      if (said.includes("listens on")) resolve();
    });
    child.once("exit", () => reject(new Error(`It ended at once: ${said}`)));
  });
  return `http://127.0.0.1:${port}`;
}

async function stopProject(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  process.kill(-child.pid!, "SIGKILL");
  await once(child, "exit");
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}

/** Makes every request of a document's acceptance; answers what went otherwise than written. */
export async function checkRequests(document: CompleteSpec, url: string): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const line of acceptanceLines(document)) problems.push(...(await checkLine(line, url)));
  return problems;
}

async function checkLine({ pointer, check }: AcceptanceLine, url: string): Promise<readonly string[]> {
  if (check.kind === "http_endpoint") {
    const problems: string[] = [];
    const { method, path, headers, body, status, isAuthRequired, responseContains } = check;
    const call = (more: object) => request(url, method, path, { headers: { ...headers, ...more }, body });
    if (isAuthRequired && (await call({})).status !== 401) problems.push(`${pointer}: not refused without a token`);
    const answer = await call(isAuthRequired ? { authorization: `Bearer ${token}` } : {});
    problems.push(...wrong(pointer, answer, status));
    for (const text of responseContains) if (!answer.text.includes(text)) problems.push(`${pointer}: lacks ${text}`);
    return problems;
  }
  if (check.kind !== "integration_test") return [];
  const ids = new Map<string, unknown>();
  let latest: unknown = 1;
  for (const [index, { method, path, query, body, status }] of check.steps.entries()) {
    const place = path
      .split(/(\/\{[^{}/]+\}|\/:\w+)/)
      .reduce((before, part, at) => (at % 2 === 0 ? before + part : `${before}/${ids.get(before) ?? latest}`), "");
    const answer = await request(
      url,
      method,
      `${place}?${new URLSearchParams(query.map(([name, value]) => [name, value]))}`,
      { body },
    );
    const problems = wrong(`${pointer}/steps/${index}`, answer, status);
    if (problems.length > 0) return problems;
    const id = answer.text.startsWith("{") ? (JSON.parse(answer.text) as { id?: unknown }).id : undefined;
    if (id !== undefined && method === "POST") ids.set(place, id);
    latest = id ?? latest;
  }
  return [];
}

function wrong(where: string, answer: { status: number; text: string }, status: StatusMatch): readonly string[] {
  return matchesStatus(status, answer.status) ? [] : [`${where}: ${answer.status} ${answer.text}`];
}

async function request(
  url: string,
  method: string,
  path: string,
  { headers = {}, body }: { headers?: object; body?: unknown },
): Promise<{ status: number; text: string }> {
  const takesBody = ["POST", "PUT", "PATCH"].includes(method);
  const content = body === undefined ? (takesBody ? "{}" : undefined) : JSON.stringify(body);
  const response = await fetch(url + path, {
    method,
    redirect: "manual",
    headers: { ...(content !== undefined && { "content-type": "application/json" }), ...headers },
    ...(content !== undefined && { body: content }),
  });
  return { status: response.status, text: await response.text() };
}
