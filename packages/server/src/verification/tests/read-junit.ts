import { type XmlNode as Node, parseXml } from "./parse-xml.ts";
import { durationIn } from "./report-values.ts";
import type { TestCase } from "./test-case.ts";

/** A test as a report tells of it; paths and texts are still those of the project's programs. */
export type ReportedCase = Pick<TestCase, "file" | "name" | "outcome" | "durationMs" | "message" | "hidesOthers"> &
  Partial<Pick<TestCase, "isFlaky" | "isNoTest" | "hides">>;

/** At most so many tests, in their order. Those that passed are left out first: many of them hide no failure. */
export function withinBound<T extends Pick<TestCase, "outcome">>(cases: readonly T[], max: number): readonly T[] {
  if (cases.length <= max) return cases;
  let room = max - cases.filter(({ outcome }) => outcome === "failed").length;
  const kept = cases.filter(({ outcome }) => {
    if (outcome !== "failed") room -= 1;
    return outcome === "failed" || room >= 0;
  });
  return kept.slice(0, max);
}

const maxDepth = 100;

/** How tools such as Maven's surefire and cargo-nextest tell of tries that failed before the last one. */
const earlierFailures = ["flakyFailure", "flakyError", "rerunFailure", "rerunError"];

/** How a report is read. */
export interface JunitOptions {
  readonly maxCases: number;
  /** What a suite stands for: runners differ. */
  readonly suitesAre: "groups" | "files" | "runs";
}

/** Reads JUnit XML, without document types and entities of its own; undefined if it is not such a file. */
export async function readJunit(xml: string, options: JunitOptions): Promise<readonly ReportedCase[] | undefined> {
  const root = await parseXml(xml, ["testsuite", "testcase", "failure", "error", "skipped", ...earlierFailures]);
  if (root === undefined || !("testsuites" in root || "testsuite" in root)) return undefined;
  // Some tools write one report behind the other.
  const suites = [...asNodes(root["testsuites"]), { testsuite: root["testsuite"] }];
  const cases = suites.flatMap((suite) => [...casesIn(suite, options, [], "", 0)]);
  return withinBound(cases, options.maxCases);
}

const countNames = ["failures", "errors"];

/** Returns whether a test in it tells of a failure, be it one that does not count. */
function* casesIn(
  suite: Node,
  options: JunitOptions,
  parents: readonly string[],
  fileAbove: string,
  depth: number,
): Generator<ReportedCase, boolean, undefined> {
  if (depth > maxDepth) return false;
  const file = attribute(suite, "file") || fileAbove;
  let tellsFailure = false;
  for (const one of asNodes(suite["testcase"])) {
    tellsFailure ||= ["failure", "error", ...earlierFailures].some((name) => one[name] !== undefined);
    const isNoTest = options.suitesAre === "runs" && isNotLoaded(one);
    yield { ...toCase(one, parents, file), ...(isNoTest && { isNoTest }) };
  }
  // What fails around the tests of a suite, such as its setup, is told by the suite itself.
  const { error, failure } = suite;
  if (error !== undefined || failure !== undefined) {
    tellsFailure = true;
    yield aroundTests({ error, failure }, suite, parents, file);
  }
  let countsInside = false;
  for (const inner of asNodes(suite["testsuite"])) {
    countsInside ||= countNames.some((count) => attribute(inner, count) !== "");
    const name = attribute(inner, "name");
    const isGroup = options.suitesAre === "groups" && name !== "";
    const inFile = options.suitesAre === "files" ? name : file;
    const innerTells = yield* casesIn(inner, options, isGroup ? [...parents, name] : parents, inFile, depth + 1);
    tellsFailure ||= innerTells;
  }
  const counted = countNames.filter((count) => Number(attribute(suite, count)) > 0);
  // Gotestsum counts warnings of the compiler as errors of all suites together.
  if (tellsFailure || countsInside || counted.length === 0) return tellsFailure;
  const told = counted.map((name) => `${attribute(suite, name)} ${name}`).join(" and ");
  const message = `The report counts ${told}, and none of its tests tells of one.`;
  yield aroundTests({ failure: { "@message": message } }, suite, parents, file);
  return true;
}

function aroundTests(failed: Node, suite: Node, parents: readonly string[], fileAbove: string): ReportedCase {
  // Tests that the suite tells of besides are not hidden by what fails around them.
  const tells = suite["testcase"] !== undefined || suite["testsuite"] !== undefined;
  const made = toCase({ ...failed, "@name": "(suite)" }, parents, fileAbove);
  return { ...made, isNoTest: true, ...(tells && { hides: [] }) };
}

/**
 * As pytest says of a file that it could not load, and our program of one that unittest could not: by an error without a class.
 * What a test says of its failure is by the project, and stands in a `failure`, or in a class.
 */
const notLoaded = "collection failure";

function toCase(node: Node, parents: readonly string[], fileAbove: string): ReportedCase {
  const failures = [...asNodes(node["failure"]), ...asNodes(node["error"])];
  // GoogleTest and CTest have no other mark for those that are switched off.
  const isOff = isSwitchedOff.test(`${attribute(node, "status")} ${attribute(node, "result")}`.trim());
  const marks = [...asNodes(node["skipped"]), ...(isOff ? [{}] : [])];
  // node:test writes a failure beside the mark of a test that is still to do. Elsewhere something in a test has failed before
  // or after the rest was skipped, such as a subtest of pytest.
  const isSkipped =
    marks.length > 0 && (failures.length === 0 || marks.some((mark) => attribute(mark, "type") === "todo"));
  const earlier = earlierFailures.flatMap((name) => asNodes(node[name]));
  const isFlaky = !isSkipped && failures.length === 0 && earlier.length > 0;
  const seconds = Number(attribute(node, "time"));
  // Of pytest's class names only the class itself: the rest is the path of the file.
  const group = /(?:^|\.)([A-Z][^.]*)$/.exec(attribute(node, "classname"))?.[1];
  const groups = parents.length === 0 && group !== undefined ? [group] : parents;
  return {
    file: attribute(node, "file") || fileAbove,
    name: [...groups, attribute(node, "name")].join(" > "),
    outcome: isSkipped ? "skipped" : failures.length > 0 ? "failed" : "passed",
    durationMs: durationIn(seconds * 1_000),
    message: isSkipped ? "" : (isFlaky ? earlier : failures).map(messageOf).join("\n"),
    ...(isFlaky && { isFlaky }),
  };
}

function isNotLoaded(node: Node): boolean {
  if (attribute(node, "classname") !== "") return false;
  return asNodes(node["error"]).some((one) => ["message", "type"].some((key) => attribute(one, key) === notLoaded));
}

/** By `status` and `result`; where both say something, a test that has run is `run completed`. */
const isSwitchedOff = /^(?:notrun|disabled)\b|\b(?:skipped|suppressed)$/i;

function messageOf(failure: Node): string {
  const text = decode(String(failure["#text"] ?? ""));
  const message = attribute(failure, "message");
  if (message === notLoaded) return whyNotLoaded(text) || message;
  return message || text || "failed";
}

/** Pytest marks what an exception says by an `E`, and begins with the file that could not be imported. */
function whyNotLoaded(text: string): string {
  const lines = text.slice(0, 100_000).split("\n");
  const said = lines.filter((line) => line.startsWith("E ")).map((line) => line.slice(1).trim());
  const place =
    said.find((line) => line.startsWith("File ")) ?? lines.findLast((line) => /^\S{1,300}:\d{1,9}: in /.test(line));
  return [place, said.at(-1)].filter((part) => part !== undefined).join(": ");
}

function attribute(node: Node, name: string): string {
  const value = node[`@${name}`];
  // node:test escapes the quotes of attributes twice.
  return typeof value === "string" ? decode(value).replaceAll("&quot;", '"') : "";
}

const named: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

/** The five entities of XML, and numbers of characters: nothing that a document could define. */
function decode(text: string): string {
  return text.replace(/&(?:(lt|gt|amp|quot|apos)|#(\d{1,7})|#x([\da-fA-F]{1,6}));/g, (all, name, decimal, hex) => {
    if (name !== undefined) return named[name as string]!;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : all;
  });
}

function asNodes(value: unknown): readonly Node[] {
  if (value === undefined) return [];
  return (Array.isArray(value) ? value : [value]).map((one) => asNode(one) ?? { "#text": one });
}

function asNode(value: unknown): Node | undefined {
  return typeof value === "object" && value !== null ? (value as Node) : undefined;
}
