import type { ArtifactSettings, Config } from "../../../src/app/config.ts";
import type { EngineOptions } from "../../../src/app/create-engine.ts";
import { createTestApp, type TestApp } from "../test-app.ts";
import { submit } from "./follow.ts";
import { type AboutAgent, type Script, scriptedAgent } from "./scripted-agent.ts";

interface StageOptions extends Omit<EngineOptions, "agents"> {
  readonly sandbox?: "auto" | "none";
  /** Targets of deployments, as an operator's config file declares them. */
  readonly kubernetes?: object;
  readonly ssh?: object;
  /** The agents that there are; left out: one that can do all. */
  readonly agents?: readonly AboutAgent[];
  /** What runs containers; left out: nothing does. */
  readonly containers?: Config["containers"];
  /** Whether webhooks may call this machine. */
  readonly allowLocalWebhooks?: boolean;
}

export interface Stage {
  readonly app: TestApp;
  /** Submits a document made of these parts; its agents follow the script. Gives the project's id. */
  play(parts?: object, script?: Script, options?: { query?: string; token?: string; indent?: number }): Promise<string>;
  /** An agent's id. */
  agentId(name: string): Promise<string>;
}

/** A service whose agents do what each test says. Call it at the top of a test file. */
export async function createStage(
  { agents = [{}], sandbox = "none", kubernetes, ssh, containers, allowLocalWebhooks, ...options }: StageOptions = {},
  artifacts: Partial<ArtifactSettings> = {},
): Promise<Stage> {
  const scripts = new Map<string, Script>();
  const follow: Script = (work) => scripts.get(work.document.id)?.(work);
  const here = agents.map((about) => scriptedAgent(follow, about));
  const engine = { agents: here, retryDelayMs: () => 0, ...options };
  const targets = {
    ...(kubernetes && { kubernetes: { declared: kubernetes, file: "slipway.yaml" } }),
    ...(ssh && { ssh: { declared: ssh, file: "slipway.yaml" } }),
    ...(containers && { containers }),
    ...(allowLocalWebhooks && { allowLocalWebhooks }),
  };
  const app = await createTestApp({ artifacts, sandbox, ...targets, engine });
  // What happens in the same millisecond has no order.
  app.clock.run();
  return {
    app,
    play: (parts = {}, script = () => undefined, { query = "", token, indent } = {}) => {
      // Agents see the document: that is how they know whose script it is.
      const id = `play-${scripts.size + 1}`;
      scripts.set(id, script);
      return submit(app, documentOf({ id, ...parts }, indent), query, token);
    },
    agentId: async (name) => {
      const { db } = app;
      return (await db.selectFrom("agents").select("id").where("name", "=", name).executeTakeFirstOrThrow()).id;
    },
  };
}

/** A document that is valid, with these parts: on one line, or indented. JSON is YAML too. */
export function documentOf(parts: object = {}, indent = 0): string {
  const document = {
    spec_version: "1.0.0",
    id: "play",
    name: "Play",
    description: "Does what a test says.",
    outcome_type: "api",
    stack: {},
    acceptance: {},
    ...parts,
  };
  return JSON.stringify(document, null, indent);
}
