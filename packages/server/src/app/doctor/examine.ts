import { createSandbox } from "../../platform/sandbox/index.ts";
import type { Config } from "../config.ts";
import { lookAtAgents } from "./check-agents.ts";
import { lookAtDatabase } from "./check-database.ts";
import { lookAtFolder, lookAtGit, lookAtNode, lookAtSandbox } from "./check-machine.ts";
import { lookAtPlugins } from "./check-plugins.ts";
import { type Finding, failed, messageOf, ok } from "./finding.ts";

/** `slipway doctor`: looks at everything that the service needs, changes nothing, and says what to do. */
export async function examine(readConfig: () => Config, { isJson }: { isJson: boolean }): Promise<{ isWell: boolean }> {
  const findings: Finding[] = [];
  for await (const finding of lookAtAll(readConfig)) {
    findings.push(finding);
    if (!isJson) process.stdout.write(show(finding));
  }
  const isWell = findings.every(({ status }) => status !== "failed");
  if (isJson) process.stdout.write(`${JSON.stringify({ is_well: isWell, checks: findings }, null, 2)}\n`);
  return { isWell };
}

async function* lookAtAll(readConfig: () => Config): AsyncGenerator<Finding> {
  yield lookAtNode(process.versions.node);
  yield await lookAtGit();
  let config: Config;
  try {
    config = readConfig();
  } catch (error) {
    yield failed("settings", messageOf(error));
    return;
  }
  yield ok("settings", config.agents.file === "" ? "no config file" : `${config.agents.file} is read`);
  yield await lookAtFolder(config.dataFolder);
  yield await lookAtDatabase(config);
  const { sandbox: mode, dataFolder } = config;
  const sandbox = await createSandbox({ mode, dataFolder }).catch((error: Error) => error);
  yield lookAtSandbox(sandbox instanceof Error ? sandbox : sandbox.found, mode);
  if (sandbox instanceof Error) return;
  yield* lookAtAgents(config, sandbox, process.env);
  yield* lookAtPlugins(config);
}

const marks: Readonly<Record<Finding["status"], string>> = { ok: "✓", warning: "!", failed: "✗" };

function show({ name, status, message, remedy }: Finding): string {
  const lines = [`${marks[status]} ${name}: ${message}`, ...(remedy === null ? [] : [`  → ${remedy}`])];
  return `${lines.join("\n")}\n`;
}
