import type { Network } from "../../platform/sandbox/index.ts";
import type { AgentDriver } from "../drivers/driver.ts";
import type { AgentSettings } from "./agent-settings.ts";

/** An agent that this node can run. */
export interface AgentHere {
  readonly name: string;
  readonly driver: AgentDriver;
  readonly capabilities: readonly string[];
  /** How many tasks it does at a time on this node. */
  readonly slots: number;
  /** What its programs may reach; undefined: nothing. */
  readonly network?: Network;
  readonly limits?: Partial<AgentSettings["limits"]>;
  /** What it is answered when it asks whether it may do something; undefined: that it may. */
  readonly permissions?: AgentSettings["permissions"];
  /** Values that it is given and nobody may see. */
  readonly secrets?: () => readonly string[];
}
