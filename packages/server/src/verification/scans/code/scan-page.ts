import type { Spotted } from "../finding.ts";
import { lineCounter } from "../line-counter.ts";
import { type ScriptScan, scanScript } from "./scan-script.ts";

/** One without an end takes the rest of the page, so that none is read again and again. */
const script = /<script\b([^>]*)(?:>|$)([\s\S]*?)(?:<\/script\s*>|$)/gi;

/** More of one rule say nothing new; of another they do. */
const maxOfRule = 500;

/** Places where a template puts a value into the page without escaping it. */
const unescaped =
  /<%-(?!\s*(?:include|layout|partial|block|body|content|contentFor|yield|render)\b)[^%]+%>|\{\{\{(?!\{)[^{}]+\}\}\}|\bv-html\s{0,3}=|\{@html\s|\bset:html\s{0,3}=/g;

/** Dangerous code in the scripts of a page, and values that its template does not escape. */
export function scanPage(text: string): ScriptScan {
  const lineAt = lineCounter(text);
  const found: Spotted[] = [];
  for (const match of text.matchAll(script)) {
    const [whole, attributes = "", code = ""] = match;
    const type = /\btype\s{0,3}=\s{0,3}["']?([^\s"'>]+)/i.exec(attributes)?.[1]?.toLowerCase() ?? "";
    if (type !== "" && !/javascript|ecmascript|module|babel|jsx|typescript/.test(type)) continue;
    const isTyped = /\blang\s{0,3}=\s{0,3}["']?tsx?\b/.test(attributes);
    const scan = scanScript(isTyped ? "script.ts" : "script.js", code);
    // A template's own signs in a script are no mistake of the page.
    if (!("spotted" in scan)) continue;
    const offset = lineAt(match.index + whole.indexOf(">") + 1) - 1;
    found.push(...scan.spotted.map((one) => ({ ...one, line: one.line + offset })));
  }
  for (const { index } of text.matchAll(unescaped))
    found.push({
      ruleId: "code/unescaped-output",
      severity: "medium",
      line: lineAt(index),
      message: "The template puts a value into the page without escaping it.",
      remedy: "Use the form that escapes, or sanitize the value.",
      scanner: "code",
    });
  return {
    spotted: [...Map.groupBy(found, ({ ruleId }) => ruleId).values()].flatMap((same) => same.slice(0, maxOfRule)),
  };
}
