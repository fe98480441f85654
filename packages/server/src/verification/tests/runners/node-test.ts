import { positionals, quoteWord, withoutOptions } from "../parse-script.ts";
import { withinBound } from "../read-junit.ts";
import { groupsReporter } from "./node-groups.ts";
import { beside, type Runner } from "./runner.ts";

const valued = ["--import", "-r", "--require", "--loader", "--experimental-loader", "-C", "--conditions", "--env-file"];
valued.push("--test-concurrency", "--test-timeout", "--test-shard");

/** What a script must not decide: what is reported, which tests are left out, and that tests share the runner's process. */
const ours = [
  ...["--test-reporter=", "--test-reporter-destination=", "--test-name-pattern=", "--test-skip-pattern="],
  ...[
    "--test-only",
    "--test-isolation=",
    "--experimental-test-isolation=",
    "--test-shard=",
    "--watch",
    "--test-update-snapshots",
  ],
  // By these a file of the project says which tests have passed before, or which options there are.
  ...["--test-rerun-failures=", "--experimental-config-file=", "--experimental-default-config-file"],
  "--experimental-test-tag-filter=",
  ...["--experimental-test-coverage", "--test-coverage-include=", "--test-coverage-exclude="],
  ...["--test-coverage-lines=", "--test-coverage-functions=", "--test-coverage-branches="],
];

/**
 * A test file that calls `process.exit(0)` would end before its failures are told, also if a timer calls it. The runner
 * itself may exit: it does so from its own modules inside of Node. Programs that tests start are left alone: they find
 * the mark of the file that started them, whose name no script can know.
 */
const guard = (mark: string) => `
if (process.env.NODE_TEST_CONTEXT !== undefined && process.env.${mark} === undefined) {
  process.env.${mark} = "1";
  const { exit, reallyExit: leave } = process;
  let isOver = false;
  const isRunner = () => {
    Error.prepareStackTrace = undefined;
    Error.stackTraceLimit = 10;
    return /node:internal\\/test_runner\\//.test(String(new Error().stack).split("\\n")[3]);
  };
  const refuse = (why = "process.exit was called in a test file") => {
    process._rawDebug(why + ", so its tests count as failed.");
    leave.call(process, 86);
  };
  if (/-test-(?:name-pattern|skip-pattern|only|shard|rerun-failures|tag-filter)\\b|-config-file\\b/.test(process.env.NODE_OPTIONS ?? ""))
    refuse("NODE_OPTIONS leaves tests out");
  process.exit = (code) => {
    if (!isRunner()) return refuse();
    isOver = true;
    return exit.call(process, code);
  };
  process.reallyExit = (code) => (isOver ? leave.call(process, code) : refuse());
  process.execve = () => refuse();
}`;

export const nodeTest: Runner = {
  name: "node:test",

  command({ reports, words, only, files, traps, coverage }) {
    const own = withoutOptions(words, ours);
    const named = positionals(own, valued);
    const options = own.filter((word) => !named.includes(word));
    const toRun = only !== undefined ? [...only.map(quoteWord)] : named.length > 0 ? named : files.map(quoteWord);
    return [
      "node",
      ...["--import", quoteWord(moduleOf(guard(newMark())))],
      ...options,
      ...["--test", "--test-isolation=process"],
      ...["spec stdout", `junit ${reports.path}/junit.xml`].flatMap(reporter),
      ...reporter(`${moduleOf(groupsReporter)} ${reports.path}/groups.xml`),
      ...("by" in coverage ? ["--experimental-test-coverage", ...reporter(`lcov ${reports.path}/lcov.info`)] : []),
      ...toRun,
      ...traps.map(quoteWord),
    ].join(" ");
  },

  trap(path, token) {
    // Works in modules of both kinds, and in TypeScript.
    const text = `const { test } = process.getBuiltinModule("node:test");
const assert = process.getBuiltinModule("node:assert");
test("${token} compares", () => assert.strictEqual(1, 2));
test("${token} throws", () => { throw new Error("as it must"); });
`;
    return { path: beside(path, token), text };
  },

  async readCases(reports, { maxCases }) {
    const cases = await reports.readAs("junit.xml", "junit", { maxCases, suitesAre: "groups" });
    const groups = await reports.readAs("groups.xml", "junit", { maxCases, suitesAre: "groups" });
    return cases && groups && withinBound([...cases, ...groups], maxCases);
  },

  async readCoverage(reports) {
    return reports.readAs("lcov.info", "lcov", { listsEveryLine: true });
  },
};

function newMark(): string {
  return `SLIPWAY_${crypto.randomUUID().replaceAll("-", "")}`;
}

/** A module as an address that Node imports. */
function moduleOf(text: string): string {
  return `data:text/javascript,${encodeURIComponent(text)}`;
}

function reporter(text: string): readonly string[] {
  const [name, destination] = text.split(" ");
  return [`--test-reporter=${quoteWord(name!)}`, `--test-reporter-destination=${quoteWord(destination!)}`];
}
