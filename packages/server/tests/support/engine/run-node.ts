import { fileURLToPath } from "node:url";
import { findBundle } from "../../../../../tools/bundle-programs.ts";
import { Service } from "../run-service.ts";
import { nodeProgram } from "./node-program.ts";

/** The one that the service's own entry turns on: half of the time of a start would go into compiling the same files. */
const compileCache = fileURLToPath(new URL("../../../../../node_modules/.cache/slipway", import.meta.url));

/** How a node differs from one that people run. */
export interface NodeTraits {
  readonly leaseMs?: number | undefined;
  /** How far its clock is off. */
  readonly clockOffsetMs?: number | undefined;
  readonly slots?: number | undefined;
  /** Where its agents wait; left out: in the data folder. */
  readonly gates?: string | undefined;
}

interface NodeOptions extends NodeTraits {
  readonly data: string;
  /** Left out: it has an embedded database. */
  readonly databaseUrl?: string;
}

/** A node with a scripted agent, in a process of its own. It may not be ready yet. */
export function launchNode({ data, databaseUrl, leaseMs, clockOffsetMs, slots, gates }: NodeOptions): Service {
  const traits: NodeTraits = { leaseMs, clockOffsetMs, slots, gates };
  const env = {
    NODE_COMPILE_CACHE: compileCache,
    NODE_TRAITS: JSON.stringify(traits),
    SLIPWAY_REQUESTS_PER_MINUTE: "1000000",
    SLIPWAY_SANDBOX: "none",
    SLIPWAY_LOG_LEVEL: process.env["SLIPWAY_TEST_LOG"] ?? "error",
    ...(databaseUrl !== undefined && { SLIPWAY_DATABASE_URL: databaseUrl }),
  };
  return new Service(data, [], { program: findBundle(nodeProgram.folder) ?? nodeProgram.entry, env, cwd: "/" });
}

export function startNode(options: NodeOptions): Promise<Service> {
  return launchNode(options).ready();
}
