/**
 * A reporter for node:test that tells of the failures which its JUnit report leaves out: of a test or group with others inside,
 * such as by an assertion of its own or a hook after them; and of a file that ended before its tests were over, where Node
 * takes one that is still to do for the reason.
 */
export const groupsReporter = `
const escaped = (text) => text.replace(/[^ -~\\u{a0}-\\u{d7ff}]|[&<"]/gu, (letter) => "&#" + letter.codePointAt(0) + ";");
const failed = (file, name, { cause, message }) =>
  '<testcase file="' + escaped(String(file)) + '" name="' + escaped(name) + '"><failure message="' + escaped(String(cause?.message ?? message).slice(0, 8_000)) + '"/></testcase>\\n';
export default async function* (events) {
  const names = [];
  const sizes = [];
  const withFailures = new Set();
  const withSummary = new Set();
  yield "<testsuites>\\n";
  for await (const { type, data } of events) {
    const { name, file, entryFile, nesting, details, todo } = data;
    const error = details?.error;
    if (type === "test:start") {
      names.splice(nesting, names.length, name);
      sizes.splice(nesting, sizes.length, 0);
    }
    if (type === "test:pass" || type === "test:fail") {
      if (nesting > 0) sizes[nesting - 1] += 1;
      if (type === "test:fail" && todo === undefined) withFailures.add(entryFile ?? file);
      if (type === "test:fail" && todo === undefined && sizes[nesting] > 0 && error?.failureType !== "subtestsFailed")
        yield failed(file, names.slice(0, nesting).concat(name).join(" > "), error ?? {});
    }
    if (type === "test:summary" && file !== undefined) withSummary.add(file);
    const isOfProcess = type === "test:complete" && error?.exitCode !== undefined;
    if (isOfProcess && error.failureType === "subtestsFailed")
      if (!withSummary.has(file) || !withFailures.has(file)) yield failed(file, name, { message: "test failed" });
  }
  yield "</testsuites>\\n";
}`;
