import { positionals, quoteWord, withoutOptions } from "../parse-script.ts";
import { withRepeated } from "../repeated-tests.ts";
import { beside, type Runner } from "./runner.ts";

const valued = ["--config", "-c", "--root", "-r", "--dir", "--project", "--environment", "--pool", "--mode"];

const ours = [
  ...["--reporter=", "--outputFile=", "--watch", "-w", "--ui", "--bail=", "--shard=", "--changed", "--run"],
  ...[
    "--testNamePattern=",
    "-t=",
    "--passWithNoTests",
    "-u",
    "--update",
    "--coverage",
    "--coverage.enabled",
    "--dangerouslyIgnoreUnhandledErrors",
    "--retry=",
  ],
];

/** The program of the installed package: never a link in `.bin`. */
export const vitestProgram = "node_modules/vitest/vitest.mjs";

export const vitest: Runner = {
  name: "vitest",

  command({ reports, words, only, traps, coverage, modulesIn }) {
    const own = withoutOptions(words, ours).filter((word) => !word.startsWith("--coverage."));
    const named = positionals(own, valued);
    const options = own.filter((word) => !named.includes(word));
    const filters = only !== undefined ? only.map(quoteWord) : named;
    return [
      ...["node", quoteWord(`${modulesIn}${vitestProgram}`), "run", ...options],
      ...[
        "--reporter=default",
        "--reporter=junit",
        `--outputFile.junit=${reports.path}/junit.xml`,
        "--reporter=json",
        `--outputFile.json=${reports.path}/vitest.json`,
        "--bail=0",
        "--retry=0",
      ],
      ...("by" in coverage ? measured(coverage.by, reports.path) : ["--coverage.enabled=false"]),
      // Filters choose among the files that the configuration includes; without any, all of them run.
      ...(filters.length > 0 ? [...filters, ...traps.map(quoteWord)] : []),
    ].join(" ");
  },

  trap(path, token) {
    const text = `import { expect, test } from "vitest";
test("${token} compares", () => { expect(1).toBe(2); });
test("${token} throws", () => { throw new Error("as it must"); });
`;
    return { path: beside(path, token), text };
  },

  async readCases(reports, { maxCases, roots }) {
    const cases = await reports.readAs("junit.xml", "junit", { maxCases, suitesAre: "files" });
    // JUnit does not tell which tests failed before they passed, by a `retry` of their own.
    const again = await reports.readAs("vitest.json", "jest", maxCases);
    return cases && withRepeated(cases, again?.filter(({ isFlaky }) => isFlaky) ?? [], roots);
  },

  async readCoverage(reports) {
    return reports.readAs("coverage/coverage-final.json", "istanbul");
  },
};

function measured(provider: string, folder: string): readonly string[] {
  return [
    ...["--coverage.enabled=true", `--coverage.provider=${provider}`, "--coverage.reporter=json"],
    ...[`--coverage.reportsDirectory=${folder}/coverage`, "--coverage.reportOnFailure=true"],
  ];
}
