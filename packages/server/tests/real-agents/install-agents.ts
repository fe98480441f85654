import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("../../../../node_modules/.cache/slipway-agents", import.meta.url));
const wanted = { "@openai/codex": "0.166.0", "@agentclientprotocol/codex-acp": "2.6.0" };

/** Brings the agents from npm, once; gives where their programs are. */
export function installAgents(): string {
  if (Object.entries(wanted).some(([name, version]) => versionOf(name) !== version)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true }));
    const packages = Object.entries(wanted).map(([name, version]) => `${name}@${version}`);
    const quietly = ["--save-exact", "--no-audit", "--no-fund", "--loglevel=error"];
    execFileSync("npm", ["install", ...quietly, ...packages], { cwd: folder, stdio: "inherit" });
  }
  return join(folder, "node_modules", ".bin");
}

function versionOf(name: string): string | undefined {
  try {
    const text = readFileSync(join(folder, "node_modules", name, "package.json"), "utf8");
    return (JSON.parse(text) as { version: string }).version;
  } catch {
    return undefined;
  }
}
