import { messageOf } from "../../platform/errors/index.ts";
import { createSandbox } from "../../platform/sandbox/index.ts";
import { findBrowser } from "../../verification/index.ts";
import type { Config } from "../config.ts";
import { checkAgents } from "./check-agents.ts";
import { checkContainers } from "./check-containers.ts";
import { checkDatabase } from "./check-database.ts";
import { checkBrowser, checkFolder, checkGit, checkNode, checkSandbox } from "./check-machine.ts";
import { checkPlugins } from "./check-plugins.ts";
import { checkSecretProviders } from "./check-secret-providers.ts";
import { type Finding, failed, ok } from "./finding.ts";

/** `slipway doctor`: checks everything that the service needs, changes nothing, and says what to do. */
export async function examine(readConfig: () => Config, { isJson }: { isJson: boolean }): Promise<{ isWell: boolean }> {
  const findings: Finding[] = [];
  for await (const finding of checkAll(readConfig)) {
    findings.push(finding);
    if (!isJson) process.stdout.write(show(finding));
  }
  const isWell = findings.every(({ status }) => status !== "failed");
  if (isJson) process.stdout.write(`${JSON.stringify({ is_well: isWell, checks: findings }, null, 2)}\n`);
  return { isWell };
}

async function* checkAll(readConfig: () => Config): AsyncGenerator<Finding> {
  yield checkNode(process.versions.node);
  yield await checkGit();
  let config: Config;
  try {
    config = readConfig();
  } catch (error) {
    yield failed("settings", messageOf(error));
    return;
  }
  yield ok("settings", config.agents.file === "" ? "no config file" : `${config.agents.file} is read`);
  yield await checkFolder(config.dataFolder);
  yield await checkDatabase(config);
  const { sandbox: mode, dataFolder } = config;
  const sandbox = await createSandbox({ mode, dataFolder }).catch((error: Error) => error);
  yield checkSandbox(sandbox instanceof Error ? sandbox : sandbox.found, mode);
  yield checkBrowser(await findBrowser());
  yield* checkContainers(config);
  if (sandbox instanceof Error) return;
  yield* checkAgents(config, sandbox, process.env);
  yield* checkPlugins(config);
  yield* checkSecretProviders(config, process.env);
}

const marks: Readonly<Record<Finding["status"], string>> = { ok: "✓", warning: "!", failed: "✗" };

function show({ name, status, message, remedy }: Finding): string {
  const lines = [`${marks[status]} ${name}: ${message}`, ...(remedy === null ? [] : [`  → ${remedy}`])];
  return `${lines.join("\n")}\n`;
}
