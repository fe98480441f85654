import type { ReportedCase } from "./read-junit.ts";

/** Reads what `cargo test` prints; undefined if it came to no test run. */
export function readCargoOutput(text: string, maxCases: number): readonly ReportedCase[] | undefined {
  const cases: ReportedCase[] = [];
  const messages = messagesIn(text);
  let file = "";
  let isRun = false;
  for (const line of text.split("\n")) {
    const running = /^\s+Running (?:unittests )?([^\s()]+)/.exec(line)?.[1];
    if (running !== undefined) file = running;
    else if (/^\s+Doc-tests /.test(line)) file = "";
    if (/^running \d+ tests?$/.test(line)) isRun = true;
    const found = /^test (.{1,500}?) \.\.\. (ok|FAILED|ignored)\b/.exec(line);
    if (found === null || cases.length >= maxCases) continue;
    const [, name = "", word] = found;
    const outcome = word === "ok" ? "passed" : word === "FAILED" ? "failed" : "skipped";
    const documented = /^(\S+\.rs) - (.+)$/.exec(name);
    cases.push({
      file: documented?.[1] ?? file,
      name,
      outcome,
      durationMs: 0,
      message: outcome === "failed" ? (messages.get(name) ?? "") : "",
    });
  }
  if (/^error(\[E\d+\])?: /m.test(text) && !cases.some(({ outcome }) => outcome === "failed")) {
    const message = /^error.*$/m.exec(text)?.[0] ?? "";
    if (!/^error: test failed/.test(message))
      cases.push({ file: "", name: "(compile)", outcome: "failed", durationMs: 0, message });
  }
  return isRun || cases.length > 0 ? cases : undefined;
}

/** `---- name stdout ----`, and what follows until the next. */
function messagesIn(text: string): ReadonlyMap<string, string> {
  const messages = new Map<string, string>();
  for (const part of text.split(/^---- /m).slice(1)) {
    const name = /^(.{1,500}?) stdout ----$/m.exec(part.slice(0, 600))?.[1];
    if (name !== undefined)
      messages.set(
        name,
        part
          .slice(part.indexOf("\n") + 1)
          .slice(0, 2_000)
          .trim(),
      );
  }
  return messages;
}
