import { positionals, quoteWord, withoutOptions } from "../parse-script.ts";
import { beside, type Runner } from "./runner.ts";

const valued = ["--config", "-c", "--rootDir", "--projects", "--env", "--maxWorkers", "-w"];

const ours = [
  ...["--json", "--outputFile=", "--reporters=", "--watch", "--watchAll", "--bail", "-b", "--shard=", "--onlyChanged"],
  ...[
    "-o",
    "--testNamePattern=",
    "-t=",
    "--passWithNoTests",
    "-u",
    "--updateSnapshot",
    "--ci",
    "--no-ci",
    "--coverage",
    "--collectCoverage",
    "--coverageReporters=",
  ],
  ...["--coverageDirectory=", "--coverageThreshold=", "--coveragePathIgnorePatterns=", "--collectCoverageFrom="],
];

export const jestProgram = "node_modules/jest/bin/jest.js";

export const jest: Runner = {
  name: "jest",

  command({ reports, words, only, traps, coverage, modulesIn }) {
    const own = withoutOptions(words, ours);
    const named = positionals(own, valued);
    const options = own.filter((word) => !named.includes(word));
    const filters = only !== undefined ? only.map(quoteWord) : named;
    return [
      ...["node", quoteWord(`${modulesIn}${jestProgram}`), ...options, "--ci", "--bail=false", "--watchAll=false"],
      ...["--json", `--outputFile=${reports.path}/jest.json`],
      ...("by" in coverage
        ? ["--coverage", "--coverageReporters=json", `--coverageDirectory=${reports.path}/coverage`]
        : ["--coverage=false"]),
      ...(filters.length > 0 ? [...filters, ...traps.map(quoteWord)] : []),
    ].join(" ");
  },

  trap(path, token) {
    const text = `test("${token} compares", () => { expect(1).toBe(2); });
test("${token} throws", () => { throw new Error("as it must"); });
`;
    return { path: beside(path, token), text };
  },

  async readCases(reports, { maxCases }) {
    return reports.readAs("jest.json", "jest", maxCases);
  },

  async readCoverage(reports) {
    return reports.readAs("coverage/coverage-final.json", "istanbul");
  },
};
