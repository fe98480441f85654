import { shortened, wholeEnd } from "../../platform/one-line.ts";
import { type ReportedCase, withinBound } from "./read-junit.ts";
import { durationIn, type Json, objectIn, textIn } from "./report-values.ts";

const maxMessageLength = 4_000;

/**
 * Reads what `go test -json` writes: a JSON object a line. `file` is the package, until somebody finds the file. `errors`
 * is what the compiler said.
 */
export function readGoEvents(text: string, maxCases: number, errors = ""): readonly ReportedCase[] | undefined {
  const outputs = new Map<string, string>();
  const cases: ReportedCase[] = [];
  const failedPackages = new Map<string, string>();
  const running = new Map<string, ReportedCase>();
  const said = errorsByPackage(errors);
  const anyError = shortened(errors, maxMessageLength);
  // Of packages whose own end was not told of yet: the place of their last test.
  const lastOf = new Map<string, number>();
  const glued = new Map<string, ReportedCase>();
  // Go 1.20 is the first to tell that a package begins.
  const splitPackages = new Set<string>();
  const endedPackages = new Set<string>();
  let isGo = false;
  for (const line of text.split("\n")) {
    // Before Go 1.24 a package that does not compile is told of in plain text.
    const unbuilt = /^FAIL\t(\S{1,500}) \[(?:build|setup) failed\]$/.exec(line)?.[1];
    if (unbuilt !== undefined) failedPackages.set(unbuilt, said.get(unbuilt) ?? anyError);
    const event = parseEvent(line);
    isGo ||= unbuilt !== undefined || event !== undefined;
    if (event === undefined) continue;
    const folder = textIn(event["Package"]) || textIn(event["ImportPath"]);
    const name = typeof event["Test"] === "string" ? event["Test"] : undefined;
    const key = `${folder}\0${name ?? ""}`;
    const action = event["Action"];
    if (action === "start") splitPackages.add(folder);
    const isFrame = /^\s*(?:===|---) /.test(textIn(event["Output"]));
    const end = isFrame || splitPackages.has(folder) ? undefined : gluedEnd(folder, textIn(event["Output"]));
    if (end !== undefined) glued.set(`${folder}\0${end.name}`, end);
    if ((action === "output" && !isFrame) || action === "build-output")
      outputs.set(key, wholeEnd(`${outputs.get(key) ?? ""}${textIn(event["Output"])}`, maxMessageLength));
    if (action === "run" && name !== undefined && running.size < maxCases)
      running.set(key, { ...unfinished, file: folder, name, message: never });
    if (action !== "pass" && action !== "fail" && action !== "skip") continue;
    if (name === undefined) {
      lastOf.delete(folder);
      endedPackages.add(folder);
      if (action === "fail") failedPackages.set(folder, outputs.get(key) ?? "");
      continue;
    }
    running.delete(key);
    const outcome = action === "pass" ? "passed" : action === "fail" ? "failed" : "skipped";
    const durationMs = durationIn(Number(textIn(event["Elapsed"])) * 1_000);
    lastOf.set(folder, cases.length);
    const message = outcome === "failed" ? (outputs.get(key) ?? "") : "";
    cases.push({ file: folder, name, outcome, durationMs, message });
  }
  // A test that ends the process hides those after it; Go takes the exit code 0 for its success.
  for (const at of lastOf.values())
    if (cases[at] !== undefined) cases[at] = { ...cases[at], ...unfinished, message: never };
  for (const [key, one] of [...running].slice(0, maxCases)) {
    const end = endedPackages.has(one.file) ? glued.get(key) : undefined;
    cases.push(end === undefined ? one : { ...end, message: end.outcome === "failed" ? (outputs.get(key) ?? "") : "" });
  }
  // A package that does not compile, or whose TestMain fails, has no failed test to show for it.
  const told = new Set(cases.flatMap(({ file, outcome }) => (outcome === "failed" ? [file] : [])));
  for (const [folder, message] of [...failedPackages].slice(0, maxCases))
    if (!told.has(folder)) cases.push({ ...unfinished, isNoTest: true, file: folder, name: "(package)", message });
  return isGo ? withinBound(cases, maxCases) : undefined;
}

const never = "It began, and its program ended before it did.";
const unfinished = { outcome: "failed", durationMs: 0, hidesOthers: true } as const;

const outcomes = { PASS: "passed", FAIL: "failed", SKIP: "skipped" } as const;

/**
 * How a test ended that has printed a text without a line end before: up to Go 1.19, what Go says of its end is then taken
 * for a part of that text. Later versions mark what they say themselves: there, only a test would print that.
 */
function gluedEnd(folder: string, output: string): ReportedCase | undefined {
  const found = /--- (PASS|FAIL|SKIP): (\S{1,500}) \((\d{1,9}\.\d\d)s\)\n$/.exec(output.slice(-600));
  if (found === null) return undefined;
  const [, word, name = "", seconds] = found;
  const outcome = outcomes[word as keyof typeof outcomes];
  return { file: folder, name, outcome, durationMs: durationIn(Number(seconds) * 1_000), message: "" };
}

/** What the compiler said, by package: it stands below `# package`. */
function errorsByPackage(errors: string): ReadonlyMap<string, string> {
  const parts = errors.split(/^# (?=\S)/m).slice(1);
  return new Map(
    parts.map((part) => [part.split(/\s/, 1)[0]!, shortened(part.slice(part.indexOf("\n") + 1), maxMessageLength)]),
  );
}

function parseEvent(line: string): Json | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    return objectIn(JSON.parse(line));
  } catch {
    return undefined;
  }
}
