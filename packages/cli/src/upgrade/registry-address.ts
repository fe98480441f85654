import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

const usual = "https://registry.npmjs.org/";

/** The registry that npm is configured for, found as npm does: variable, the folder's file, the user's file. */
export function registryAddress(env: NodeJS.ProcessEnv): string {
  const variable = Object.keys(env).find((name) => name.toLowerCase() === "npm_config_registry" && env[name]);
  const named = variable === undefined ? undefined : env[variable];
  const files = [".npmrc", env["npm_config_userconfig"] || join(env["HOME"] || homedir(), ".npmrc")];
  for (const address of [named, ...files.map((file) => registryIn(file, env))])
    if (address !== undefined && /^https?:$/.test(protocolOf(address))) return address.replace(/\/*$/, "/");
  return usual;
}

function registryIn(file: string, env: NodeJS.ProcessEnv): string | undefined {
  try {
    const [, value] = /^\s*registry\s*=\s*(.+?)\s*$/m.exec(readFileSync(file, "utf8")) ?? [];
    return value?.replace(/^["']|["']$/g, "").replace(/\$\{(\w+)\}/g, (_, name: string) => env[name] ?? "");
  } catch {
    return undefined;
  }
}

function protocolOf(address: string): string {
  return URL.canParse(address) ? new URL(address).protocol : "";
}
