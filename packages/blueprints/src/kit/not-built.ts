import {
  type AcceptanceLine,
  type CompleteSpec,
  matchesStatus,
  type PerformanceCheck,
  type StatusMatch,
} from "@slipway/spec";
import type { Unmet } from "../plugin.ts";
import { code } from "./common-files.ts";
import { pointerPart } from "./pointer.ts";
import { markdown } from "./quote.ts";
import { unmetCommand } from "./unknown-tool.ts";

/** The README's chapter on what was not built; none if everything was. */
export function notBuilt(unmet: readonly Unmet[]): readonly string[] {
  if (unmet.length === 0) return [];
  return [
    ["## Not built", "", ...unmet.map(({ pointer, reason }) => `- ${code(pointer)}: ${markdown(reason)}`)].join("\n"),
  ];
}

/** Reports features of phases: they are prose, which cannot be built by rule. */
export function unmetFeatures({ phases = {} }: CompleteSpec): readonly Unmet[] {
  return Object.entries(phases).flatMap(([phase, { features }]) =>
    features.map((_, index) => ({
      pointer: `/phases/${pointerPart(phase)}/features/${index}`,
      reason: "This feature is written in words, which cannot be built by rule.",
    })),
  );
}

/** The same, and services, for results that are one program. */
export function unmetWork(document: CompleteSpec): readonly Unmet[] {
  const services = Object.keys(document.services ?? {}).map((name) => ({
    pointer: `/services/${pointerPart(name)}`,
    reason: "The result is one program: nothing was built for this service.",
  }));
  return [...unmetFeatures(document), ...services];
}

/** Reports that only the description says what to build, and what was built instead. */
export function unmetDescription(isSaid: boolean, instead: string): readonly Unmet[] {
  if (isSaid) return [];
  return [{ pointer: "/description", reason: `What it says in words is not built by rule. ${instead}` }];
}

/** Metrics that the verification of a running result can measure. */
const measurable = /^(?:response_time_p\d{2}_ms|requests_per_second|error_rate)$/;

/** Why a limit cannot be measured; undefined if it can. */
export function unmeasured({ metric, command }: PerformanceCheck): string | undefined {
  return command === undefined && measurable.test(metric) ? undefined : "Nobody measures this by rule.";
}

/** Why a named check is not met. */
export const unmetNamed = "Nobody checks this by rule.";

/** What a server answers to a request; undefined if that is not known beforehand. */
export type Answer = { readonly status: number; readonly body?: string } | undefined;

/** What a result can do to meet acceptance lines. */
export interface Abilities {
  readonly answer: ((method: string, path: string) => Answer) | "no server";
  /** The kinds of tests that the result has. */
  readonly tests: readonly string[];
  readonly framework: string;
  /** Metrics that its build measures, beside those of a running result. */
  readonly measures?: readonly string[];
  /** Whether its own programs know a command; undefined of other programs. */
  runs(command: string): boolean | undefined;
  /** What is not met of a named check; undefined if the result does not know the check. */
  unmetCheck(name: string, value: unknown, pointer: string): readonly Unmet[] | undefined;
}

/** The acceptance lines that the result does not meet, and why. */
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
      return check.steps.flatMap(({ method, path, status, contains }) =>
        answers(abilities, pointer, method, path, status, contains),
      );
    case "command": {
      const reason = unmetCommand(check.command, abilities.runs);
      return reason === undefined ? [] : [{ pointer, reason }];
    }
    case "tests":
      if (check.framework !== undefined && check.framework !== abilities.framework)
        return [{ pointer, reason: `Tests are written for ${abilities.framework}.` }];
      return abilities.tests.includes(check.type) ? [] : [{ pointer, reason: "There are no tests of this kind." }];
    case "named":
      return abilities.unmetCheck(check.name, check.value, pointer) ?? [{ pointer, reason: unmetNamed }];
    case "performance": {
      if (check.command === undefined && abilities.measures?.includes(check.metric)) return [];
      const reason = abilities.answer === "no server" ? "Nothing runs that could be measured." : unmeasured(check);
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
