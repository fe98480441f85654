import { shortened } from "../../platform/one-line.ts";
import { TestProgram } from "./cargo-program.ts";
import { type ReportedCase, withinBound } from "./read-junit.ts";

/** Reads what `cargo test` prints; undefined if it came to no test run. */
export function readCargoOutput(text: string, maxCases: number): readonly ReportedCase[] | undefined {
  const cases: ReportedCase[] = [];
  const messages = messagesIn(text);
  let program: TestProgram | undefined;
  let file = "";
  let isRun = false;
  const endProgram = () => {
    for (const { name, word } of program?.tests() ?? []) {
      const outcome = word === "ok" ? "passed" : word === "FAILED" ? "failed" : "skipped";
      const documented = /^(\S+\.rs) - (.+)$/.exec(name);
      const message = outcome === "failed" ? (messages.get(name) ?? "") : "";
      cases.push({ file: documented?.[1] ?? file, name, outcome, durationMs: 0, message });
    }
    const message = program?.lack();
    if (message !== undefined) cases.push({ ...unfinished, file, name: "(program)", message });
  };
  for (const line of text.split("\n")) {
    const running = /^\s+Running (?:unittests )?([^\s()]+)/.exec(line)?.[1];
    const isDocumented = /^\s+Doc-tests /.test(line);
    const told = /^running (\d{1,7}) tests?$/.exec(line)?.[1];
    if (running !== undefined || isDocumented || told !== undefined) {
      endProgram();
      program = undefined;
    }
    if (running !== undefined || isDocumented) file = running ?? "";
    if (told !== undefined) {
      isRun = true;
      program = new TestProgram(Number(told));
    } else program?.read(line);
  }
  endProgram();
  if (/^error(\[E\d+\])?: /m.test(text) && !cases.some(({ outcome }) => outcome === "failed")) {
    const [, said = "", place] = /^(error.*)(?:\n\s{0,20}--> (\S{1,300}))?/m.exec(text) ?? [];
    const message = place === undefined ? said : `${said} (${place})`;
    if (!/^error: test failed/.test(message))
      cases.push({ ...unfinished, isNoTest: true, file: "", name: "(compile)", message });
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
