import { type FunctionWork, functionDriver, type RunnableAgent } from "../../../src/agents/index.ts";

/** What an attempt of the agent uses, as it says itself. */
interface Used {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costUsd?: number;
}

/** An agent that follows no rules, as one with a model: it does what the test says, and tells what that has used. */
export function finishingAgent(
  about: Pick<RunnableAgent, "name" | "capabilities">,
  doWork: (work: FunctionWork) => Promise<void>,
  used?: Used,
): RunnableAgent {
  const driver = functionDriver("scripted", async (work) => {
    await doWork(work);
    return { is: "done" };
  });
  return {
    slots: 4,
    ...about,
    driver: {
      ...driver,
      start: (work, host) => {
        const run = driver.start(work, host);
        return { ...run, events: withUsage(run.events, used) };
      },
    },
  };
}

async function* withUsage(events: ReturnType<RunnableAgent["driver"]["start"]>["events"], used: Used | undefined) {
  if (used !== undefined) yield { type: "usage", ...used } as const;
  yield* events;
}
