import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type AgentReport, type FunctionWork, functionDriver, type RunnableAgent } from "../../../src/agents/index.ts";

/** Nothing said: what the agent always does. */
export type Script = (work: FunctionWork) => Promise<AgentReport | undefined> | AgentReport | undefined;

/** What differs from the usual, which offers every role; with `generate` it builds by rule. */
export type AboutAgent = Partial<RunnableAgent> & Partial<Pick<RunnableAgent["driver"], "generate" | "kind">>;

/** An agent that does what the test says; where it says nothing, it writes a file by the task's name. */
export function scriptedAgent(
  script: Script = () => undefined,
  { generate, kind = "blueprint", ...about }: AboutAgent = {},
): RunnableAgent {
  const driver = functionDriver(kind, async (work) => {
    const said = await script(work);
    if (said !== undefined) return said;
    if (work.task.role !== "planner") await writeFile(join(work.folder, `${work.task.id}.txt`), work.task.title);
    return { is: "done" };
  });
  return {
    name: "scripted",
    capabilities: ["api", "web-app", "library", "cli", "ml-pipeline", "typescript"],
    slots: 8,
    ...about,
    driver: { ...driver, ...(generate && { generate }) },
  };
}
