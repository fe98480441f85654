import { type ReportedCase, withinBound } from "./read-junit.ts";
import { durationIn, type Json, listIn, objectIn, textIn } from "./report-values.ts";

/** Reads what `jest --json` writes; undefined if it is something else. */
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

function casesOf(file: Json): readonly ReportedCase[] {
  const path = textIn(file["name"]);
  const cases = listIn(file["assertionResults"]).map((test): ReportedCase => {
    const one = objectIn(test);
    const status = one["status"];
    return {
      file: path,
      name: [...listIn(one["ancestorTitles"]), one["title"]].map(textIn).join(" > "),
      outcome: status === "passed" ? "passed" : status === "failed" ? "failed" : "skipped",
      durationMs: durationIn(one["duration"]),
      message: listIn(one["failureMessages"]).map(textIn).join("\n"),
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
    });
  return cases;
}
