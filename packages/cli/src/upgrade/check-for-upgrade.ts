import { fileURLToPath } from "node:url";
import type { Context } from "../command.ts";
import { quickFetch } from "../connection/quick-fetch.ts";
import { CommandError, type ExitCode, exitCode, UsageError } from "../exit-code.ts";
import { print } from "../output/print.ts";
import { printable } from "../output/printable.ts";
import { version } from "../version.ts";
import { isNewer } from "./compare-versions.ts";
import { registryAddress } from "./registry-address.ts";

const maxWaitMs = 10_000;

/** What a registry says about the latest version of a package, as far as anybody asks. */
interface Latest {
  readonly version?: unknown;
  readonly dependencies?: Readonly<Record<string, unknown>>;
}

/** Asks the registry for the latest version; changes nothing. */
export async function checkForUpgrade(context: Context): Promise<ExitCode> {
  if (context.options["check"] !== true)
    throw new UsageError("what has installed slipway upgrades it; 'slipway upgrade --check' says how");
  const registry = registryAddress(context.terminal.env);
  const latest = await readLatest(registry);
  const isAvailable = latest !== undefined && isNewer(latest, version);
  const command = isAvailable ? upgradeWith(latest) : null;
  const result = { version, latest: latest ?? null, is_newer_available: isAvailable, command };
  print(context, { ...result, registry: withoutSecrets(registry) }, () => {
    if (latest === undefined) return `${version} is installed; ${withoutSecrets(registry)} has no release of Slipway.`;
    if (!isAvailable) return `${version} is installed and is the latest version.`;
    return `${version} is installed, ${latest} is available. To upgrade: ${command}`;
  });
  return exitCode.ok;
}

async function readLatest(registry: string): Promise<string | undefined> {
  const answer = await ask(registry).catch((error: unknown) => {
    const reason = error instanceof Error && error.name === "TimeoutError" ? "no answer in time" : reasonOf(error);
    throw cannotAsk(registry, reason, error);
  });
  if (answer.status === 404) return undefined;
  if (!answer.ok) throw cannotAsk(registry, `it answered ${answer.status}`);
  const latest = await answer.json().then(
    (value: unknown) => (value ?? {}) as Latest,
    () => undefined,
  );
  if (typeof latest?.version !== "string" || !/^\d+\.\d+\.\d+(-[\w.-]+)?$/.test(latest.version))
    throw cannotAsk(registry, "it did not answer with a version");
  // Public registries give a name to whoever comes first: only ours has these parts.
  return latest.dependencies?.["@slipway/server"] === undefined ? undefined : latest.version;
}

function ask(registry: string): Promise<Response> {
  return quickFetch(new URL("slipway/latest", registry), {
    headers: { accept: "application/json", "user-agent": `slipway/${version}` },
    signal: AbortSignal.timeout(maxWaitMs),
  });
}

function cannotAsk(registry: string, reason: string, cause?: unknown): CommandError {
  return new CommandError(
    exitCode.cannotConnect,
    `cannot ask ${withoutSecrets(registry)} for the latest version: ${printable(reason, 200)}
${version} is installed. 'npm config get registry' shows the address; without a network this check cannot be made.`,
    { cause },
  );
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}

/** An address may name a user and a password. */
function withoutSecrets(registry: string): string {
  const { origin, pathname } = new URL(registry);
  return printable(`${origin}${pathname}`);
}

function upgradeWith(latest: string): string {
  const own = fileURLToPath(import.meta.url);
  if (own.includes(`lib/node_modules/slipway/`) && process.execPath.includes("lib/node_modules/node-"))
    return `unpack slipway-${latest}-${process.platform}-${process.arch}.tar.gz in place of this version`;
  const isGlobal = /[\\/](?:lib|npm)[\\/]node_modules[\\/]slipway[\\/]/.test(own);
  return `npm install ${isGlobal ? "--global " : ""}slipway@${latest}`;
}
