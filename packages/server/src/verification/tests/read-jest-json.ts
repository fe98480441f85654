import { type ReportedCase, withinBound } from "./read-junit.ts";
import { durationIn, type Json, listIn, objectIn, textIn } from "./report-values.ts";

/** Reads what `jest --json` writes, or the JSON reporter of Vitest; undefined if it is something else. */
export function readJestJson(text: string, maxCases: number): readonly ReportedCase[] | undefined {
  let root: unknown;
  try {
    root = JSON.parse(text);
  } catch {
    return undefined;
  }
  const files = objectIn(root)["testResults"];
  if (!Array.isArray(files)) return undefined;
  return withinBound(
    files.flatMap((file: unknown) => casesOf(objectIn(file))),
    maxCases,
  );
}

/** No number of a text or a list: lists in lists become one only as deep as the stack goes. */
function hasRunAgain(invocations: unknown): boolean {
  return typeof invocations === "number" && invocations > 1;
}

function casesOf(file: Json): readonly ReportedCase[] {
  const path = textIn(file["name"]);
  const cases = listIn(file["assertionResults"]).map((test): ReportedCase => {
    const one = objectIn(test);
    const status = one["status"];
    const failures = listIn(one["failureMessages"]);
    // A test may run until it passes: Jest tells how often it ran (`retryTimes`), Vitest why it failed before (`retry`).
    const isFlaky = status === "passed" && (hasRunAgain(one["invocations"]) || failures.length > 0);
    return {
      file: path,
      name: [...listIn(one["ancestorTitles"]), one["title"]].map(textIn).join(" > "),
      outcome: status === "passed" ? "passed" : status === "failed" ? "failed" : "skipped",
      durationMs: durationIn(one["duration"]),
      message: [...failures, ...(isFlaky ? listIn(one["retryReasons"]) : [])].map(textIn).join("\n"),
      ...(isFlaky && { isFlaky }),
    };
  });
  // A file that cannot be loaded has no tests, and a message.
  if (file["status"] === "failed" && !cases.some(({ outcome }) => outcome === "failed"))
    cases.push({
      file: path,
      name: "(file)",
      outcome: "failed",
      durationMs: 0,
      message: textIn(file["message"]),
      isNoTest: true,
    });
  return cases;
}
