import { type Context, createContext, Script } from "node:vm";

const maxMatchMs = 200;
const script = new Script('new RegExp(pattern, "u").test(text)');
let context: Context | undefined;
/** Patterns that once took too long: not tried again, as a document may have thousands of texts. */
const slow = new Set<string>();
const maxSlow = 100;

/** Whether a text matches; not, if that takes long: a pattern of a document must not keep whoever plans it busy. */
export function fitsPattern(pattern: string, text: string): boolean {
  if (slow.has(pattern)) return false;
  context ??= createContext({});
  context["pattern"] = pattern;
  context["text"] = text;
  try {
    return script.runInContext(context, { timeout: maxMatchMs }) === true;
  } catch {
    if (slow.size >= maxSlow) slow.clear();
    slow.add(pattern);
    return false;
  }
}
