import type { ReportedCase } from "./read-junit.ts";

type Json = Readonly<Record<string, unknown>>;

const maxMessageLength = 4_000;

/** Reads what `go test -json` writes: a JSON object a line. `file` is the package, until somebody finds the file. */
export function readGoEvents(text: string, maxCases: number): readonly ReportedCase[] | undefined {
  const outputs = new Map<string, string>();
  const cases: ReportedCase[] = [];
  const failedPackages = new Map<string, string>();
  let isGo = false;
  for (const line of text.split("\n")) {
    const event = parseEvent(line);
    if (event === undefined) continue;
    isGo = true;
    const folder = String(event["Package"] ?? event["ImportPath"] ?? "");
    const name = typeof event["Test"] === "string" ? event["Test"] : undefined;
    const key = `${folder}\0${name ?? ""}`;
    const action = event["Action"];
    const isFrame = /^\s*(?:===|---) /.test(String(event["Output"] ?? ""));
    if ((action === "output" && !isFrame) || action === "build-output")
      outputs.set(key, `${outputs.get(key) ?? ""}${event["Output"]}`.slice(-maxMessageLength));
    if (action !== "pass" && action !== "fail" && action !== "skip") continue;
    if (name === undefined) {
      if (action === "fail") failedPackages.set(folder, outputs.get(key) ?? "");
      continue;
    }
    const outcome = action === "pass" ? "passed" : action === "fail" ? "failed" : "skipped";
    const durationMs = typeof event["Elapsed"] === "number" ? Math.round(event["Elapsed"] * 1_000) : 0;
    if (cases.length < maxCases)
      cases.push({
        file: folder,
        name,
        outcome,
        durationMs,
        message: outcome === "failed" ? (outputs.get(key) ?? "") : "",
      });
  }
  // A package that does not compile, or whose TestMain fails, has no failed test to show for it.
  const told = new Set(cases.flatMap(({ file, outcome }) => (outcome === "failed" ? [file] : [])));
  for (const [folder, message] of [...failedPackages].slice(0, maxCases))
    if (!told.has(folder)) cases.push({ file: folder, name: "(package)", outcome: "failed", durationMs: 0, message });
  return isGo ? cases : undefined;
}

function parseEvent(line: string): Json | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    return JSON.parse(line) as Json;
  } catch {
    return undefined;
  }
}
