import type { Network } from "../../platform/sandbox/index.ts";
import type { AgentDriver } from "../drivers/driver.ts";
import type { AgentSettings } from "./agent-settings.ts";

/** An agent that this node can run. */
export interface RunnableAgent {
  readonly name: string;
  readonly driver: AgentDriver;
  readonly capabilities: readonly string[];
  /** Names the program or model behind it, where that is known: two agents of one identity are one reviewer. */
  readonly identity?: string;
  /** How many tasks it runs at a time on this node. */
  readonly slots: number;
  /** What its programs may reach; undefined: nothing. */
  readonly network?: Network;
  /** Files and folders that its programs may read beside themselves. */
  readonly readable?: readonly string[];
  readonly limits?: Partial<AgentSettings["limits"]>;
  /** How its permission requests are answered; undefined: allowed. */
  readonly permissions?: AgentSettings["permissions"];
  /** Values that the agent receives and that are masked everywhere. */
  readonly secrets?: () => readonly string[];
  /** Those of them that must not get into files either; undefined: all. */
  readonly secretsInFiles?: () => readonly string[];
}
