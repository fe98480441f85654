/** A test as the service's own JUnit file tells of it. */
export interface TestOutcome {
  readonly file: string;
  readonly name: string;
  readonly seconds: number;
  readonly outcome: "passed" | "failed" | "skipped" | "flaky";
  readonly message: string;
}

const testCase =
  /<testcase file="([^"]*)" name="([^"]*)" time="([^"]*)"(?:\/>|>(?:<(skipped|failure|flakyFailure)(?: message="([^"]*)")?\/>)?<\/testcase>)/g;

const outcomes = { skipped: "skipped", failure: "failed", flakyFailure: "flaky" } as const;

/** Reads the tests of `verification/test-results.xml`. Not by the browser's parser: the page's policy forbids it markup. */
export function readTests(xml: string): TestOutcome[] {
  return [...xml.matchAll(testCase)].map(([, file, name, time, child, message]) => ({
    file: unescapeXml(file!),
    name: unescapeXml(name!),
    seconds: Number(time),
    outcome: child === undefined ? "passed" : outcomes[child as keyof typeof outcomes],
    message: unescapeXml(message ?? ""),
  }));
}

const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"' };

function unescapeXml(text: string): string {
  return text.replace(/&(lt|gt|amp|quot);/g, (_, name: string) => entities[name]!);
}
