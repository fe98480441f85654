/** Calls that check something, in the languages whose tests we run. */
const assertion =
  /\b(?:assert|expect|should|check|verify|ensure|must)\w*\s*[.(!]|\bassert\s+\S|\.should\b|\bt\.(?:assert|is|deepEqual|equal|ok|not|throws|true|false|Error|Errorf|Fatal|Fatalf|Fail|FailNow)\b|\bself\.(?:assert|fail)\w*\s*\(|\bpytest\.(?:raises|fail|warns)\b|\brequire\.\w+\(t\b|\bpanic!|\b(?:rejects|throws)\s*\(|\bthrow\b|\braise\b/g;

/** Where a test begins. */
const beginning =
  /\b(?:test|it|describe|suite|specify)(?:\.\w+)*\s*\(|\bdef test|\bfunc Test|#\[(?:\w+::)?test\]|\bclass \w/g;

/**
 * How many assertions a test's text has: from its name to the beginning of the next test. A test whose name does not stand
 * in the file, because it is computed, has those of the whole file.
 */
export function countAssertions(text: string, name: string): number {
  const own = name.slice(name.lastIndexOf(" > ") < 0 ? 0 : name.lastIndexOf(" > ") + 3).replace(/\[.*\]$/, "");
  const at = own === "" ? -1 : placeOf(text, own);
  if (at < 0) return countIn(text);
  beginning.lastIndex = at + own.length;
  const end = beginning.exec(text)?.index ?? text.length;
  return countIn(text.slice(at + own.length, end));
}

function placeOf(text: string, name: string): number {
  const quoted = ['"', "'", "`"].map((quote) => text.indexOf(`${quote}${name}${quote}`)).filter((at) => at >= 0);
  if (quoted.length > 0) return Math.min(...quoted) + 1;
  const last = name.slice(name.lastIndexOf("::") < 0 ? 0 : name.lastIndexOf("::") + 2);
  if (!/^\w+$/.test(last)) return -1;
  const found = ["def ", "func ", "fn "].map((word) => text.indexOf(`${word}${last}(`)).filter((at) => at >= 0);
  return found.length === 0 ? -1 : Math.min(...found);
}

/** Always true, whatever the project does. */
const idle =
  /\bassert(?:\.ok)?\(\s*(?:true|1)\s*[,)]|\bexpect\(\s*(true|1)\s*\)\.(?:toBe|toEqual)\(\s*\1\s*\)|\bexpect\(\s*true\s*\)\.toBeTruthy\(|\bassert\s+(?:True|1)\s*$|\bassertTrue\(\s*True\s*\)/gm;

function countIn(text: string): number {
  return text.replace(idle, "").match(assertion)?.length ?? 0;
}
