import { readPython } from "./python-lines.ts";

const signs = /\b(?:import|exec|eval|def|class)\b/;
const keywords =
  "False|None|True|and|as|assert|async|await|break|case|class|continue|def|del|elif|else|except|exec|finally|for|from|global|if|import|in|is|lambda|match|nonlocal|not|or|pass|print|raise|return|try|type|while|with|yield";
/** Two names side by side, of which neither means anything to Python, a word without what belongs to it, or a sign with which no statement begins. */
const prose = new RegExp(
  String.raw`^(?!(?:${keywords})\b)[A-Za-z_]\w{0,100} +(?!(?:${keywords})\b)[A-Za-z_]|^[^\w"'([{@~*+\-.\u0080-\uffff]|^\.(?!\.\.)|^(?:import|from|def|class)\b(?! +[\w.])|^-{2}|^\d+[.)] `,
);

/** Whether Python may run a text: no line of it is plainly prose. */
export function looksLikePython(text: string): boolean {
  if (!signs.test(text)) return false;
  for (const { bare } of readPython(text)) if (prose.test(bare)) return false;
  return true;
}
