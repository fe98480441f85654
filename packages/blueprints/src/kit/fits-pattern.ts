import { compilePattern, type Spend, Unmatchable } from "./regular-expression.ts";

/** The steps of matching that all texts of a document together may take: the same on every machine. */
const maxSteps = 1_000_000;
let left = maxSteps;

/** Gives what `read` makes of a document a number of steps of its own. Must not wait. */
export function withSteps<T>(read: () => T): T {
  left = maxSteps;
  return read();
}

const spend: Spend = () => {
  left -= 1;
  if (left < 0) throw new Unmatchable("the document's patterns take too long to match");
};

type Matches = ReturnType<typeof compilePattern>;
const compiled = new Map<string, Matches | Unmatchable>();
const maxCompiled = 200;

/** Why a text does not match a pattern, or why nobody can say; undefined if it matches. */
export function whyUnfit(pattern: string, text: string): string | undefined {
  try {
    const matches = patternOf(pattern);
    if (matches instanceof Unmatchable) throw matches;
    return matches(text, spend) ? undefined : `must match ${pattern}`;
  } catch (error) {
    if (error instanceof Unmatchable) return `cannot be checked against ${pattern}: ${error.message}`;
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
