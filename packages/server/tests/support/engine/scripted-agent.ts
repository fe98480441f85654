import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type AgentReport, type FunctionWork, functionDriver, type RunnableAgent } from "../../../src/agents/index.ts";

/** Nothing said: what the agent always does. */
export type Script = (work: FunctionWork) => Promise<AgentReport | undefined> | AgentReport | undefined;

/** An agent that does what the test says; where it says nothing, it writes a file by the task's name. */
export function scriptedAgent(script: Script = () => undefined, about: Partial<RunnableAgent> = {}): RunnableAgent {
  return {
    name: "scripted",
    capabilities: ["api", "web-app", "library", "cli", "typescript"],
    slots: 8,
    ...about,
    driver: functionDriver("blueprint", async (work) => {
      const said = await script(work);
      if (said !== undefined) return said;
      if (work.task.role !== "planner") await writeFile(join(work.folder, `${work.task.id}.txt`), work.task.title);
      return { is: "done" };
    }),
  };
}
