import { Refusal } from "../../platform/errors/index.ts";
import { isLoopback } from "../../platform/network/index.ts";

interface NewAgent {
  readonly kind: string;
  readonly url?: string;
}

/** Checks a new agent beyond its schema; a refusal lists every problem. */
export function requireRegistrable({ kind, url }: NewAgent): { kind: "worker" | "a2a"; url: string | null } {
  const problems: { pointer: string; message: string }[] = [];
  const problem = (pointer: string, message: string) => problems.push({ pointer, message });
  if (kind !== "worker" && kind !== "a2a")
    problem(
      "/kind",
      `Agents of kind '${kind}' cannot be registered: declare it under 'agents' in the config file of a node. Only 'worker' and 'a2a' can be registered.`,
    );
  if (kind === "worker" && url !== undefined) problem("/url", "A worker asks for its tasks itself: it has no 'url'.");
  if (kind === "a2a") {
    const wrong =
      url === undefined ? "An agent of kind 'a2a' needs the 'url' at which it is reached." : whyRefused(url);
    if (wrong !== undefined) problem("/url", wrong);
  }
  if (problems.length > 0) throw refuse(problems);
  return { kind: kind as "worker" | "a2a", url: url ?? null };
}

function whyRefused(text: string): string | undefined {
  const url = URL.parse(text);
  const form = "The 'url' must be an https address, or http on the service's own machine";
  if (url === null) return `${form}.`;
  if (url.username !== "" || url.password !== "") return `${form}, without a name or password in it.`;
  if (url.protocol === "https:") return undefined;
  return url.protocol === "http:" && isLoopback(url.hostname.replace(/^\[|\]$/g, "")) ? undefined : `${form}.`;
}

function refuse(problems: readonly { pointer: string; message: string }[]): Refusal {
  const errors = problems.map(({ pointer, message }) => ({ code: "invalid", message, pointer }));
  return new Refusal("invalid_body", problems.map(({ message }) => message).join(" "), { errors });
}
