import type { Reading } from "./profile.ts";

/**
 * What aider prints, as in aider/coders/base_coder.py and aider/exceptions.py of aider 0.86.3. It ends with 0 even when its
 * model could not be asked.
 */
export function readAiderLine(line: string): readonly Reading[] {
  const tokens = /^Tokens: ([\d.]+k?) sent(?:, [\d.]+k? cache (?:write|hit))*, ([\d.]+k?) received\.(.*)$/.exec(line);
  if (tokens !== null) {
    const [, sent = "", received = "", rest = ""] = tokens;
    return [used(tokensOf(sent), tokensOf(received), messageCost(rest))];
  }
  // Stands on a line of its own where the cache was used.
  if (line.startsWith("Cost: $")) return [used(0, 0, messageCost(line))];
  const edited = /^Applied edit to (.+)$/.exec(line)?.[1];
  if (edited !== undefined) return [{ type: "file", path: edited, change: "written" }];
  if (/^Retrying in [\d.]+ seconds/.test(line)) return [{ type: "status", text: line }];
  const isFailure = /^(litellm\.\w+|Model \S+ has hit a token limit!|The API provider('s servers are| is not| has) )/;
  return isFailure.test(line) ? [{ type: "failure", message: line, isFinal: false }] : [];
}

function used(inputTokens: number, outputTokens: number, costUsd: number | undefined): Reading {
  return { type: "used", of: "step", inputTokens, outputTokens, costUsd };
}

/** Large numbers are rounded to thousands. */
function tokensOf(text: string): number {
  return text.endsWith("k") ? Math.round(Number(text.slice(0, -1)) * 1000) : Number(text);
}

function messageCost(text: string): number | undefined {
  const cost = Number(/Cost: \$([\d.]+) message/.exec(text)?.[1] ?? 0);
  return cost > 0 ? cost : undefined;
}
