/** Calls that check something, in the languages whose tests we run. */
const assertion =
  /\b(?:assert|expect|should|check|verify|ensure|must)\w*\s*[.(!]|\bassert\s+\S|\.should\b|\bt\.(?:assert|is|deepEqual|equal|ok|not|throws|true|false|Error|Errorf|Fatal|Fatalf|Fail|FailNow)\b|\bself\.(?:assert|fail)\w*\s*\(|\bpytest\.(?:raises|fail|warns)\b|\brequire\.\w+\(t\b|\bpanic!|\b(?:rejects|throws)\s*\(|\bthrow\b|\braise\b/g;

/** Where a test begins. Bounded: `it.it.it` may go on for a megabyte. */
const beginning =
  /\b(?:test|it|describe|suite|specify)(?:\.\w{1,40}){0,4}\s*\(|\bdef test|\bfunc Test|#\[(?:\w+::)?test\]|\bclass \w/g;

/** What a test's text checks. */
export interface Checks {
  /** In its own text: from its name to the beginning of the next test. A test whose name is computed has the whole file's. */
  readonly assertions: number;
  /** Nothing in it, nor in a function that it may call in the file, checks anything. */
  readonly isIdle: boolean;
}

export function checksOf(text: string, name: string): Checks {
  const own = testName(name.slice(name.lastIndexOf(" > ") < 0 ? 0 : name.lastIndexOf(" > ") + 3));
  const at = own === "" ? -1 : placeOf(text, own);
  const inFile = countInFile(text);
  if (at < 0) return { assertions: inFile, isIdle: inFile === 0 };
  const body = bodyAfter(text, at + own.length);
  const assertions = countChecks(body);
  // A call may lead to a function that checks.
  const callsSome = /[\w$\])]\s*\(/.test(body.replace(idle, "").replace(/^["'`(]?\s*,?\s*(?:async\s*)?\(?/, ""));
  return { assertions, isIdle: assertions === 0 && (inFile === 0 || !callsSome) };
}

/** What belongs to a test whose name ends here. */
export function bodyAfter(text: string, end: number): string {
  beginning.lastIndex = end;
  return text.slice(end, beginning.exec(text)?.index);
}

/** pytest names each of a test's runs: `test_a[1-2]`. */
export function testName(name: string): string {
  const at = name.endsWith("]") ? name.indexOf("[") : -1;
  return at < 0 ? name : name.slice(0, at);
}

/** Where a test of this name is defined. */
function placeOf(text: string, name: string): number {
  for (const quote of ['"', "'", "`"]) {
    const at = text.indexOf(`${quote}${name}${quote}`);
    if (at >= 0 && /\b(?:test|it|specify)(?:\.\w+)*\s*\(\s*$/.test(text.slice(Math.max(0, at - 60), at))) return at + 1;
  }
  const last = name.slice(name.lastIndexOf("::") < 0 ? 0 : name.lastIndexOf("::") + 2);
  if (!/^\w+$/.test(last)) return -1;
  const found = ["def ", "func ", "fn "].map((word) => text.indexOf(`${word}${last}(`)).filter((at) => at >= 0);
  return found.length === 0 ? -1 : Math.min(...found);
}

/** Always true, whatever the project does. */
const idle =
  /\bassert(?:\.ok)?\(\s*(?:true|1)\s*[,)]|\bexpect\(\s*(true|1)\s*\)\.(?:toBe|toEqual)\(\s*\1\s*\)|\bexpect\(\s*true\s*\)\.toBeTruthy\(|\bassert\s+(?:True|1)\s*$|\bassertTrue\(\s*True\s*\)/gm;

/** How many calls in a text check something. */
export function countChecks(text: string): number {
  return text.replace(idle, "").match(assertion)?.length ?? 0;
}

let last = { text: "", count: 0 };

/** The tests of a file come one after the other: its text is counted once. */
function countInFile(text: string): number {
  if (last.text !== text) last = { text, count: countChecks(text) };
  return last.count;
}
