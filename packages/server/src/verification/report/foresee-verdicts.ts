import { acceptanceLines, type CompleteSpec, promisedLines } from "@slipway/spec";
import { isFollowable } from "../browser/index.ts";
import { linesToJudge } from "../judgement/judged-lines.ts";
import { isFilesExist } from "../probes/check-files.ts";
import { isAboutLinks } from "../probes/check-links.ts";
import { isMeasured } from "../probes/check-performance.ts";
import { areKnownScores } from "../probes/check-scores.ts";

/** A line of a document, and whether the service itself, or a plugin, will say if it holds. */
export interface ForeseenLine {
  readonly pointer: string;
  readonly title: string;
  readonly canBeVerified: boolean;
  /** Whether an agent that built nothing is asked about it, where there is one. */
  readonly isJudged: boolean;
}

/** What can be checked where the verification will run. */
interface Abilities {
  /** The keys of `acceptance` that plugins answer for. */
  readonly answered: readonly string[];
  readonly hasBrowser: boolean;
  /** Whether anything here checks the document's types. */
  readonly hasTypeChecker: boolean;
}

/**
 * Which lines of a document will get a verdict, known before anything is built. A line that must fail, such as an endpoint
 * of software that nobody can start, gets one.
 */
export function foreseeVerdicts(document: CompleteSpec, here: Abilities): readonly ForeseenLine[] {
  const unverified = new Set(
    acceptanceLines(document)
      .filter((line) => !isVerified(document, line, here))
      .map(({ pointer }) => pointer),
  );
  const judged = new Set(linesToJudge(document).map(({ pointer }) => pointer));
  const hasChecker = (pointer: string) => pointer !== "/guardrails/type_check" || here.hasTypeChecker;
  return promisedLines(document).map(({ pointer, title, isUnknown = false }) => ({
    pointer,
    title,
    canBeVerified: !isUnknown && !unverified.has(pointer) && hasChecker(pointer),
    isJudged: unverified.has(pointer) && judged.has(pointer),
  }));
}

type Line = ReturnType<typeof acceptanceLines>[number];

const measuredByNumber = ["first_load_max_kb", "runtime_dependencies_max", "package_size_max_kb"];
const namedByUs = ["health_check_timeout_seconds", "deployment_time_max_minutes", "zero_downtime"];

function isVerified(document: CompleteSpec, line: Line, { answered, hasBrowser }: Abilities): boolean {
  const { check } = line;
  switch (check.kind) {
    case "tests":
    case "http_endpoint":
    case "integration_test":
    case "command":
      return true;
    case "service_health":
      return check.service === undefined;
    case "performance":
      return isMeasured(check) || areKnownScores(document, line);
    case "named":
      if (check.command !== undefined) return String(check.value).toLowerCase() === "json";
      if (check.name === "files_exist" && isFilesExist(check.value)) return true;
      if (measuredByNumber.includes(check.name)) return typeof check.value === "number";
      if (isAboutLinks(line) || areKnownScores(document, line)) return true;
      if (hasBrowser && isFollowable(line)) return true;
      return namedByUs.includes(check.name) || answered.includes(check.name);
  }
}
