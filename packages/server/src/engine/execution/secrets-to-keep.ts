import type { RunnableAgent } from "../../agents/index.ts";

/** The values that an agent is given and that must not get into a project's files. */
export function secretsToKeep(
  agent: Pick<RunnableAgent, "secrets"> | undefined,
  ofDocument: Readonly<Record<string, string>>,
): string[] {
  return [...(agent?.secrets?.() ?? []).filter((value) => !isPublic(value)), ...Object.values(ofDocument)];
}

/**
 * Operators give agents more than keys: addresses, paths, locales, modes. Those stand in many files. What a document calls
 * a secret is one, whatever it looks like.
 */
function isPublic(value: string): boolean {
  return (
    /^([\d.:,-]{1,12}|[a-z]{1,16}([ _-][a-z]{1,16}){0,3}|[a-z]{2}_[A-Z]{2}[.@][\w-]{1,12})$/i.test(value) ||
    /^[~.]?\/[\w./ -]*$/.test(value) ||
    // Without a name, a password or parameters.
    /^[a-z][a-z0-9+.-]*:\/\/[\w.:-]+(\/[\w./-]{0,60})?$/i.test(value)
  );
}
