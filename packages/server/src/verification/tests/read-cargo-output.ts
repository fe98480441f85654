import { shortened } from "../../platform/one-line.ts";
import { type ReportedCase, withinBound } from "./read-junit.ts";

/** Reads what `cargo test` prints; undefined if it came to no test run. */
export function readCargoOutput(text: string, maxCases: number): readonly ReportedCase[] | undefined {
  const cases: ReportedCase[] = [];
  const messages = messagesIn(text);
  let file = "";
  let isRun = false;
  // How many tests of a program are still to be told of.
  let left = 0;
  const endProgram = () => {
    if (left > 0)
      cases.push({
        ...unfinished,
        file,
        name: "(program)",
        message: `The program ended before ${left} of its tests did.`,
      });
    left = 0;
  };
  for (const line of text.split("\n")) {
    const running = /^\s+Running (?:unittests )?([^\s()]+)/.exec(line)?.[1];
    const isDocumented = /^\s+Doc-tests /.test(line);
    if (running !== undefined || isDocumented) {
      endProgram();
      file = running ?? "";
    }
    const told = /^running (\d{1,7}) tests?$/.exec(line)?.[1];
    if (told !== undefined) {
      isRun = true;
      left = Number(told);
    }
    const found = /^test (.{1,500}?) \.\.\. (ok|FAILED|ignored)\b/.exec(line);
    if (found !== null) left -= 1;
    if (found === null) continue;
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
  endProgram();
  if (/^error(\[E\d+\])?: /m.test(text) && !cases.some(({ outcome }) => outcome === "failed")) {
    const message = /^error.*$/m.exec(text)?.[0] ?? "";
    if (!/^error: test failed/.test(message)) cases.push({ ...unfinished, file: "", name: "(compile)", message });
  }
  return isRun || cases.length > 0 ? withinBound(cases, maxCases) : undefined;
}

const unfinished = { outcome: "failed", durationMs: 0, hidesOthers: true } as const;

/** `---- name stdout ----`, and what follows until the next. */
function messagesIn(text: string): ReadonlyMap<string, string> {
  const messages = new Map<string, string>();
  for (const part of text.split(/^---- /m).slice(1)) {
    const name = /^(.{1,500}?) stdout ----$/m.exec(part.slice(0, 600))?.[1];
    if (name !== undefined) messages.set(name, shortened(part.slice(part.indexOf("\n") + 1), 2_000).trim());
  }
  return messages;
}
