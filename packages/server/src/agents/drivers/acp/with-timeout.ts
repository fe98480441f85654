import { AcpError } from "./acp-error.ts";

/** Waits for an answer of the agent; throws an AcpError when it takes too long. */
export async function withTimeout<T>(limitMs: number, what: string, waited: Promise<T>): Promise<T> {
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  const message = `The agent did not answer ${what} within ${limitMs / 1000} seconds.`;
  const timer = setTimeout(() => reject(new AcpError("agent_silent", message)), limitMs);
  try {
    return await Promise.race([waited, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
