import { OutOfSteps, spendSteps } from "./document-steps.ts";
import { compilePattern, Unmatchable } from "./regular-expression.ts";

type Matches = ReturnType<typeof compilePattern>;
const compiled = new Map<string, Matches | Unmatchable>();
const maxCompiled = 200;

/** Why a text does not match a pattern, or why nobody can say; undefined if it matches. */
export function whyUnfit(pattern: string, text: string): string | undefined {
  try {
    const matches = patternOf(pattern);
    if (matches instanceof Unmatchable) throw matches;
    return matches(text, spendSteps) ? undefined : `must match ${pattern}`;
  } catch (error) {
    if (error instanceof Unmatchable) return `cannot be checked against ${pattern}: ${error.message}`;
    if (error instanceof OutOfSteps)
      return `cannot be checked against ${pattern}: the document's patterns take too long to match`;
    throw error;
  }
}

/** Compiles a pattern once. */
function patternOf(pattern: string): Matches | Unmatchable {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  if (compiled.size >= maxCompiled) compiled.clear();
  const made = compile(pattern);
  compiled.set(pattern, made);
  return made;
}

function compile(pattern: string): Matches | Unmatchable {
  try {
    return compilePattern(pattern);
  } catch (error) {
    if (error instanceof Unmatchable) return error;
    if (error instanceof SyntaxError) return new Unmatchable("it is no regular expression");
    throw error;
  }
}
