import type { Severity, Spotted } from "../finding.ts";

export const secretName =
  /pass(?:word|wd)?|secret|token|session|otp|nonce|csrf|salt|api_?key|reset|verif|invite|credential|code\b/i;

export interface State {
  /** Names whose value a stranger chose: 2 over the network, 1 on the command line. */
  readonly tainted: Map<string, 1 | 2>;
  /** Names that hold a query put together from text. */
  readonly queries: Map<string, boolean>;
  readonly checked: Set<string>;
  owner: string;
  decorators: string;
}

export type Spot = Omit<Spotted, "line" | "scanner">;

/** What stands in the parentheses of a call. */
export function argumentOf(bare: string, pattern: RegExp): string | undefined {
  const match = pattern.exec(bare);
  if (match === null) return undefined;
  const start = match.index + match[0].length;
  let depth = 1;
  for (let at = start; at < bare.length; at += 1) {
    const sign = bare[at]!;
    if ("([{".includes(sign)) depth += 1;
    else if (")]}".includes(sign)) depth -= 1;
    if (depth === 0) return bare.slice(start, at);
  }
  return bare.slice(start);
}

/** The first argument. */
export function first(args: string): string {
  let depth = 0;
  for (let at = 0; at < args.length; at += 1) {
    const sign = args[at]!;
    if ("([{".includes(sign)) depth += 1;
    else if (")]}".includes(sign)) depth -= 1;
    else if (sign === "," && depth === 0) return args.slice(0, at);
  }
  return args;
}

export function rawArgument(full: string): string {
  return full.slice(full.indexOf("(") + 1);
}

export function isLiteral(argument: string): boolean {
  return (
    /^\s*(?:[rbuRBU]{0,2}""\s*)+$/.test(argument) ||
    /^\s*(?:[A-Z][A-Z0-9_]*|\d+)\s*$/.test(argument) ||
    /^\s*\[(?:[\s,]|""|\b[A-Z][A-Z0-9_]*\b)*\]\s*$/.test(argument) ||
    argument.trim() === ""
  );
}

export function spot(rule: string, severity: Severity, message: string, remedy: string): Spot {
  return { ruleId: `python/${rule}`, severity, message, remedy };
}
