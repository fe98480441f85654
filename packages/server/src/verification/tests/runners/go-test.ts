import { quoteWord, withoutOptions } from "../parse-script.ts";
import type { Runner } from "./runner.ts";

/** What a script must not decide: which tests run and how often, what is reported, and by which program they run. */
const ours = [
  ...["-json", "-v", "-run=", "-skip=", "-failfast", "-short", "-list=", "-count=", "-c", "-n"],
  ...["-cover", "-coverprofile=", "-coverpkg=", "-covermode=", "-exec=", "-toolexec=", "-overlay="],
];

export const goTest: Runner = {
  name: "go test",

  command({ reports, words, only }) {
    const own = withoutOptions(words, ours);
    const options = own.filter((word) => word.startsWith("-"));
    const named = own.filter((word) => !word.startsWith("-"));
    const folders = only?.map((file) => `./${file.includes("/") ? file.slice(0, file.lastIndexOf("/")) : ""}`);
    const packages =
      folders !== undefined ? [...new Set(folders)].map(quoteWord) : named.length > 0 ? named : ["./..."];
    const report = [`-coverprofile=${reports.path}/cover.out`, "-coverpkg=./..."];
    // By these, what GOFLAGS says of the same does not count.
    report.push("-run=.", "-short=false", "-failfast=false");
    // Results of an earlier run do not count. What the compiler says is kept apart: some versions print it as text.
    const command = ["go", "test", "-json", "-count=1", ...report, ...options, ...packages].join(" ");
    return `${command} > ${reports.path}/go.json 2> ${reports.path}/go.txt; code=$?; cat ${reports.path}/go.txt; exit $code`;
  },

  trap(path, token, text) {
    const name = /^package\s+(\w+)/m.exec(text)?.[1];
    if (name === undefined) return undefined;
    const folder = path.slice(0, path.lastIndexOf("/") + 1);
    const body = `package ${name}

import "testing"

func Test_${token}_compares(t *testing.T) { if 1 != 2 { t.Error("as it must") } }
func Test_${token}_throws(t *testing.T)   { t.Fatal("as it must") }
`;
    return { path: `${folder}${token}_test.go`, text: body };
  },

  async readCases(reports, { maxCases }) {
    return reports.readAs("go.json", "goEvents", maxCases, await reports.read("go.txt"));
  },

  async readCoverage(reports) {
    return reports.readAs("cover.out", "goProfile");
  },
};
