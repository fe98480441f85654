import type { ReportedCase } from "./read-junit.ts";

type Json = Readonly<Record<string, unknown>>;

/** Reads what `jest --json` writes; undefined if it is something else. */
export function readJestJson(text: string, maxCases: number): readonly ReportedCase[] | undefined {
  let root: unknown;
  try {
    root = JSON.parse(text);
  } catch {
    return undefined;
  }
  const files = (root as Json | null)?.["testResults"];
  if (!Array.isArray(files)) return undefined;
  return files.flatMap((file: Json) => casesOf(file)).slice(0, maxCases);
}

function casesOf(file: Json): readonly ReportedCase[] {
  const path = String(file["name"] ?? "");
  const tests: readonly Json[] = Array.isArray(file["assertionResults"]) ? file["assertionResults"] : [];
  const cases = tests.map((one): ReportedCase => {
    const titles = Array.isArray(one["ancestorTitles"]) ? one["ancestorTitles"] : [];
    const messages = Array.isArray(one["failureMessages"]) ? one["failureMessages"] : [];
    const status = one["status"];
    return {
      file: path,
      name: [...titles, one["title"]].map(String).join(" > "),
      outcome: status === "passed" ? "passed" : status === "failed" ? "failed" : "skipped",
      durationMs: typeof one["duration"] === "number" ? one["duration"] : 0,
      message: messages.map(String).join("\n"),
    };
  });
  // A file that cannot be loaded has no tests, and a message.
  if (file["status"] === "failed" && !cases.some(({ outcome }) => outcome === "failed"))
    cases.push({
      file: path,
      name: "(file)",
      outcome: "failed",
      durationMs: 0,
      message: String(file["message"] ?? ""),
    });
  return cases;
}
