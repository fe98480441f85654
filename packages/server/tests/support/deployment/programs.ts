import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { ReleasePlan } from "../../../src/deployment/supervisor/release-plan.ts";
import { ampleLimits } from "../ample-limits.ts";

/**
 * A program that answers with its name, its process and what is in its data folder. It adds a line there for each POST,
 * ends when it is told to, or no longer answers its health check.
 */
export const program = `
const { createServer } = require("node:http");
const { appendFileSync, readFileSync } = require("node:fs");
const file = process.env.SLIPWAY_DATA_DIR + "/lines";
let isIll = false;
createServer((request, response) => {
  const { url, method } = request;
  if (url === "/health") return response.writeHead(isIll ? 500 : 200).end();
  if (url === "/exit") process.exit(3);
  if (url === "/ill") isIll = true;
  if (url === "/print") console.log("the key is " + process.env.KEY);
  if (method === "POST") appendFileSync(file, url.slice(1) + "\\n");
  let lines = "";
  try { lines = readFileSync(file, "utf8"); } catch {}
  const answer = () => response.end(JSON.stringify({ name: process.env.NAME, pid: process.pid, lines, other: process.env.STORE_URL }));
  setTimeout(answer, url === "/slow" ? 3_000 : 0);
}).listen(process.env.PORT, process.env.HOST);
`;

/** For supervisors of plans that have no containers. */
export const noContainers = {
  of: (): never => {
    throw new Error("The plan of this test has no container.");
  },
};

export interface Answer {
  readonly name: string;
  readonly pid: number;
  readonly lines: string;
  readonly other?: string;
}

type PlanChanges = Partial<ReleasePlan> & {
  command?: string;
  everyMs?: number;
  withinMs?: number;
  maxErrors?: number;
  path?: string;
};

/** A folder with the program, and plans that run it; gone after the test. */
export function programFolder() {
  const place = mkdtempSync(join(tmpdir(), "slipway-programs-"));
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  const dataFolder = join(place, "data");
  mkdirSync(dataFolder);
  const folderOf = (name: string) => {
    const folder = join(place, name);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "server.cjs"), program);
    return folder;
  };
  const plan = (name: string, changes: PlanChanges = {}): ReleasePlan => {
    const {
      command = `${process.execPath} server.cjs`,
      everyMs = 100,
      withinMs = 5_000,
      maxErrors = 2,
      path = "/health",
      ...rest
    } = changes;
    const health = { path, status: 200, readyWithinMs: 30_000, maxErrors, everyMs, withinMs };
    const folder = folderOf(name);
    return {
      programs: [{ name: "app", label: "scripts.start", command, folder, env: { NAME: name }, health }],
      replicas: 1,
      folder,
      limits: ampleLimits,
      dataFolder,
      ...rest,
    };
  };
  return { place, dataFolder, plan, folderOf };
}

export async function ask(port: number, path = "/", method = "GET"): Promise<Answer> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method });
  return (await answer.json()) as Answer;
}
