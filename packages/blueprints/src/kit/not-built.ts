import { type AcceptanceLine, type CompleteSpec, matchesStatus, type StatusMatch } from "@slipway/spec";
import type { Unmet } from "../plugin.ts";
import { code } from "./common-files.ts";
import { pointerPart } from "./pointer.ts";
import { markdown } from "./quote.ts";
import type { Fields } from "./read-value.ts";

/** The section of a README that says what of the document is not there; nothing if all of it is. */
export function notBuilt(unmet: readonly Unmet[]): readonly string[] {
  if (unmet.length === 0) return [];
  return [
    ["## Not built", "", ...unmet.map(({ pointer, reason }) => `- ${code(pointer)}: ${markdown(reason)}`)].join("\n"),
  ];
}

/** Keys that nothing is made of. */
export function unknownKeys(fields: Fields, known: readonly string[], pointer: string, what: string): readonly Unmet[] {
  return Object.keys(fields)
    .filter((key) => !known.includes(key))
    .map((key) => ({
      pointer: `${pointer}/${pointerPart(key)}`,
      reason: `Nothing is made of this: it is not known of ${what}.`,
    }));
}

/** What the document asks for in words only: the features of its phases. */
export function unmetFeatures({ phases = {} }: CompleteSpec): readonly Unmet[] {
  return Object.entries(phases).flatMap(([phase, { features }]) =>
    features.map((_, index) => ({
      pointer: `/phases/${pointerPart(phase)}/features/${index}`,
      reason: "This feature is written in words, which cannot be built by rule.",
    })),
  );
}

/** The same, and the services of a document whose result is one program without any. */
export function unmetWork(document: CompleteSpec): readonly Unmet[] {
  const services = Object.keys(document.services ?? {}).map((name) => ({
    pointer: `/services/${pointerPart(name)}`,
    reason: "The result is one program: nothing was built for this service.",
  }));
  return [...unmetFeatures(document), ...services];
}

/** What is built where nothing but the description says what it should be; nothing if more is said. */
export function unmetDescription(isSaid: boolean, instead: string): readonly Unmet[] {
  if (isSaid) return [];
  return [{ pointer: "/description", reason: `What it says in words is not built by rule. ${instead}` }];
}

/** Measurements that whoever verifies a running result can make; of all others nobody would know. */
const measurable = /^(?:response_time_p\d{2}_ms|requests_per_second|error_rate)$/;

/** Why nobody can say whether a limit is kept; nothing if somebody can. */
export function unmeasured(metric: string): string | undefined {
  return measurable.test(metric) ? undefined : "Nobody measures this by rule.";
}

/** What a server answers to a request; nothing if that cannot be told beforehand. */
export type Answer = { readonly status: number; readonly body?: string } | undefined;

/** What the result of a type can do about lines of acceptance. */
export interface Abilities {
  readonly answer: ((method: string, path: string) => Answer) | "no server";
  /** Kinds of tests that are written. */
  readonly tests: readonly string[];
  readonly framework: string;
  runs(command: string): boolean;
  /** Checks by a name of the author's that the result keeps. */
  keeps(name: string, value: unknown, pointer: string): readonly Unmet[] | undefined;
}

/** Which lines of acceptance the result does not serve, and why. */
export function unmetLines(lines: readonly AcceptanceLine[], abilities: Abilities): readonly Unmet[] {
  return lines.flatMap((line) => unmetLine(line, abilities));
}

function unmetLine({ pointer, check }: AcceptanceLine, abilities: Abilities): readonly Unmet[] {
  switch (check.kind) {
    case "http_endpoint":
      if (check.isAuthRequired) return [{ pointer, reason: "Nothing here asks who you are." }];
      return answers(abilities, pointer, check.method, check.path, check.status, check.responseContains);
    case "service_health":
      if (check.service !== undefined) return [{ pointer, reason: "There is one program, without services." }];
      return answers(abilities, pointer, "GET", check.endpoint, check.status);
    case "integration_test":
      return check.steps.flatMap(({ method, path, status }) => answers(abilities, pointer, method, path, status));
    case "command":
      return abilities.runs(check.command) ? [] : [{ pointer, reason: "There is no such command." }];
    case "tests":
      if (check.framework !== undefined && check.framework !== abilities.framework)
        return [{ pointer, reason: `Tests are written for ${abilities.framework}.` }];
      return abilities.tests.includes(check.type) ? [] : [{ pointer, reason: "There are no tests of this kind." }];
    case "named":
      return abilities.keeps(check.name, check.value, pointer) ?? [{ pointer, reason: "Nobody checks this by rule." }];
    case "performance": {
      const reason =
        abilities.answer === "no server" ? "Nothing runs that could be measured." : unmeasured(check.metric);
      return reason === undefined ? [] : [{ pointer, reason }];
    }
  }
}

function answers(
  { answer }: Abilities,
  pointer: string,
  method: string,
  path: string,
  status: StatusMatch,
  contains: readonly string[] = [],
): readonly Unmet[] {
  if (answer === "no server") return [{ pointer, reason: "Nothing listens: the result has no server." }];
  const known = answer(method, path);
  if (known === undefined) return [];
  if (!matchesStatus(status, known.status)) return [{ pointer, reason: `${method} ${path} answers ${known.status}.` }];
  const missing = contains.filter((text) => known.body !== undefined && !known.body.includes(text));
  return missing.map((text) => ({ pointer, reason: `The answer to ${path} does not contain ${text}.` }));
}
