import { hasText } from "../../platform/find-text.ts";
import { inTurns } from "../../platform/in-turns.ts";
import { oneLine } from "../../platform/one-line.ts";
import type { Answerer, LineVerdict } from "../verdict.ts";
import type { Answer, Shown } from "./read-answers.ts";

/** The text of a file as `plainText` has it; undefined if there is no such file, or it must not count. */
export type ReadShown = (path: string) => Promise<string | undefined>;

/** What becomes of the answers: one that shows nothing that is really there counts for nothing. */
export async function judgeAnswers(
  answers: readonly Answer[],
  read: ReadShown,
  answeredBy: Answerer,
  evidence: readonly string[],
): Promise<readonly LineVerdict[]> {
  const verdicts: LineVerdict[] = [];
  const by = `Agent ${oneLine(answeredBy.name ?? "", 100)}`;
  for await (const { pointer, verdict, reason, evidence: shown } of inTurns(answers)) {
    const doubt = await whyDoubtful({ verdict, reason, shown }, read);
    if (doubt !== undefined) {
      const said = reason === "" ? "" : ` It said: ${reason}`;
      verdicts.push({
        pointer,
        verdict: "not_checked",
        reason: `${by} answered '${verdict}', ${doubt}.${said}`,
        evidence,
      });
    } else if (verdict === "not_checked")
      verdicts.push({ pointer, verdict, reason: `${by} could not tell. ${reason}`.trim(), evidence });
    else verdicts.push({ pointer, verdict, reason: `${by}: ${reason}${listed(shown)}`, evidence, answeredBy });
  }
  return verdicts;
}

async function whyDoubtful(
  { verdict, reason, shown }: { verdict: Answer["verdict"]; reason: string; shown: readonly Shown[] },
  read: ReadShown,
): Promise<string | undefined> {
  if (verdict === "not_checked") return undefined;
  if (reason === "") return "but gave no reason";
  // That something is missing cannot be shown in a file.
  if (verdict === "failed") return undefined;
  if (shown.length === 0) return "but showed nothing for it";
  for await (const { path, quote } of inTurns(shown)) {
    const text = await read(path);
    if (text === undefined) return `but '${oneLine(path, 200)}' is no file of the result`;
    if (quote === undefined) continue;
    const wanted = plainText(quote);
    if (wanted === "" || !hasText(text, wanted)) return `but '${oneLine(path, 200)}' does not say what it quotes`;
  }
  return undefined;
}

function listed(shown: readonly Shown[]): string {
  return shown.length === 0 ? "" : ` (${shown.map(({ path }) => oneLine(path, 200)).join(", ")})`;
}

/** A text without what agents change when they quote it: they wrap and indent. */
export function plainText(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
