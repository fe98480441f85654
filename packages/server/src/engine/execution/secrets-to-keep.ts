import type { RunnableAgent } from "../../agents/index.ts";

/** The values that an agent is given and that must not get into a project's files. */
export function secretsToKeep(
  agent: Pick<RunnableAgent, "secrets" | "secretsInFiles"> | undefined,
  ofDocument: Readonly<Record<string, string>>,
): string[] {
  const given = agent?.secretsInFiles?.() ?? agent?.secrets?.() ?? [];
  return [...given, ...Object.values(ofDocument)];
}
