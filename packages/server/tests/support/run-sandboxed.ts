/** Starts one run in a process of its own, says how, and how it ended: for tests that kill it, or run it as another user. */
import { text } from "node:stream/consumers";
import { createSandbox, type SandboxMode } from "../../src/platform/sandbox/index.ts";
import { ampleLimits } from "./ample-limits.ts";

interface Asked {
  readonly mode: SandboxMode;
  readonly dataFolder: string;
  readonly folder: string;
  readonly runId: string;
  readonly command: string;
  readonly network?: "all" | "loopback" | "none";
  readonly limits?: Partial<typeof ampleLimits>;
}

const { mode, dataFolder, limits, ...options } = JSON.parse(process.argv[2]!) as Asked;
const sandbox = await createSandbox({ mode, dataFolder });
const child = await sandbox.startProcess({ ...options, limits: { ...ampleLimits, ...limits } });
const [stdout, stderr, end] = await Promise.all([text(child.stdout), text(child.stderr), child.ended]);
console.log(JSON.stringify({ kind: sandbox.found.kind, reasons: sandbox.found.reasons, stdout, stderr, end }));
