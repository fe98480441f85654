import { type AcceptanceLine, acceptanceLines, type IntegrationTestCheck, matchesStatus } from "@slipway/spec";
import { expect } from "vitest";
import type { Built } from "./build-document.ts";
import { runIn, token } from "./run-project.ts";

/** Checks every request and command of the document's acceptance for real; returns how many lines there were. */
export async function checkLines({ document }: Built, folder: string, address = ""): Promise<number> {
  let checked = 0;
  for (const line of acceptanceLines(document)) checked += await checkLine(line, folder, address);
  return checked;
}

async function checkLine({ pointer, check }: AcceptanceLine, folder: string, address: string): Promise<number> {
  switch (check.kind) {
    case "http_endpoint": {
      const { method, path, body: sent, headers, isAuthRequired } = check;
      const call = (more: object) => request(address + path, method, sent, { ...headers, ...more });
      if (isAuthRequired) expect((await call({})).status, `${pointer}, without a token`).toBe(401);
      const { status, body } = await call(isAuthRequired ? { authorization: `Bearer ${token}` } : {});
      expect(matchesStatus(check.status, status), `${pointer}: ${status} ${body}`).toBe(true);
      for (const text of check.responseContains) expect(body, pointer).toContain(text);
      return 1;
    }
    case "integration_test":
      await checkSteps(pointer, check, address);
      return 1;
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

/** A parameter in a path is the id that the collection before it answered last, else the latest id of all. */
async function checkSteps(pointer: string, { steps }: IntegrationTestCheck, address: string): Promise<void> {
  const ids = new Map<string, unknown>();
  let latest: unknown = 1;
  for (const [index, { method, path, query, body: sent, status: wanted }] of steps.entries()) {
    const place = path
      .split(/(\/\{[^{}/]+\}|\/:\w+)/)
      .reduce((before, part, at) => (at % 2 === 0 ? before + part : `${before}/${ids.get(before) ?? latest}`), "");
    const search = new URLSearchParams(query.map(([name, value]) => [name, value]));
    const { status, body } = await request(`${address}${place}?${search}`, method, sent, {});
    expect(matchesStatus(wanted, status), `${pointer}/steps/${index}: ${status} ${body}`).toBe(true);
    const id = body.startsWith("{") ? (JSON.parse(body) as { id?: unknown }).id : undefined;
    if (id !== undefined && method === "POST") ids.set(place, id);
    latest = id ?? latest;
  }
}

async function request(url: string, method: string, body: unknown, headers: Readonly<Record<string, string>>) {
  const takesBody = ["POST", "PUT", "PATCH"].includes(method);
  const content = body === undefined ? (takesBody ? "{}" : undefined) : JSON.stringify(body);
  const response = await fetch(url, {
    method,
    redirect: "manual",
    headers: { ...(content !== undefined && { "content-type": "application/json" }), ...headers },
    ...(content !== undefined && { body: content }),
  });
  return { status: response.status, body: await response.text() };
}
