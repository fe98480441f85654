import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { compareTests } from "../../../src/verification/tests/index.ts";
import { testProject } from "../../support/verification/test-project.ts";

const isThere = spawnSync("/usr/bin/cargo", ["--version"]).status === 0;
if (!isThere) console.warn("tests of Rust projects are skipped: apt-get install cargo");
const whenCargo = test.skipIf(!isThere);

const line = "/guardrails/tests_required";
const required = { guardrails: { tests_required: true } };
const manifest = '[package]\nname = "sums"\nversion = "0.1.0"\nedition = "2021"\n';
const unit = `pub fn double(a: i32) -> i32 {
    a * 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles() {
        assert_eq!(double(2), 4);
    }

    #[test]
    #[ignore]
    fn later() {
        assert_eq!(double(2), 5);
    }
}
`;
const honest = {
  "Cargo.toml": manifest,
  "src/lib.rs": "pub mod calc;\n\npub fn add(a: i32, b: i32) -> i32 {\n    a + b\n}\n",
  "src/calc/mod.rs": unit,
  "tests/adding.rs": "#[test]\nfn adds() {\n    assert_eq!(sums::add(1, 2), 3);\n}\n",
};

whenCargo("cargo test: unit tests in the file of their module, files of tests/, ignored tests", async () => {
  const { result, verdicts } = await testProject(honest, required);
  expect(result.problems).toEqual([]);
  expect(result.runs.map(({ runner }) => runner)).toEqual(["cargo test"]);
  const told = result.cases.map(({ file, name, outcome, assertions }) => `${file} ${name} ${outcome} ${assertions}`);
  expect(told.sort()).toEqual([
    "src/calc/mod.rs calc::tests::doubles passed 1",
    "src/calc/mod.rs calc::tests::later skipped 1",
    "tests/adding.rs adds passed 1",
  ]);
  expect(verdicts[line]?.verdict).toBe("passed");
});

whenCargo("a Rust test that fails, and a crate that does not compile, say why", { tags: "long" }, async () => {
  const broken = { ...honest, "src/lib.rs": honest["src/lib.rs"].replace("a + b", "a - b") };
  const failing = await testProject(broken, required);
  expect(failing.verdicts[line]).toMatchObject({ verdict: "failed", reason: expect.stringContaining("'adds'") });
  expect(failing.result.cases.find(({ name }) => name === "adds")?.message).toContain("assertion");
  const wrong = await testProject({ ...honest, "tests/wrong.rs": '#[test]\nfn wrong() -> i32 { "x" }\n' }, required);
  expect(wrong.verdicts[line]).toMatchObject({ verdict: "failed", reason: expect.stringContaining("error") });
  const [compile] = wrong.result.cases;
  expect(compile?.hides?.map(({ file }) => file).sort()).toEqual([
    "src/calc/mod.rs",
    "tests/adding.rs",
    "tests/wrong.rs",
  ]);
  const later = (await testProject(honest)).result.cases;
  const without = new Map(compile!.hides!.map((one) => [one.file, one]));
  without.delete("tests/wrong.rs");
  expect(compareTests(wrong.result.cases, later, without).deleted).toEqual(["'(compile)' (tests/wrong.rs)"]);
});

whenCargo("every test ignored, a harness of its own, a stubbed runner: none is green", { tags: "long" }, async () => {
  const ignored = await testProject(
    {
      ...honest,
      "src/calc/mod.rs": unit.replace("#[test]\n    fn doubles", "#[test]\n    #[ignore]\n    fn doubles"),
      "tests/adding.rs": "#[test]\n#[ignore]\nfn adds() {\n    assert_eq!(sums::add(1, 2), 4);\n}\n",
    },
    required,
  );
  expect(ignored.verdicts[line]).toMatchObject({ verdict: "failed", reason: expect.stringContaining("skipped") });
  const harness = await testProject(
    {
      ...honest,
      "Cargo.toml": `${manifest}\n[[test]]\nname = "adding"\nharness = false\n`,
      "tests/adding.rs": 'fn main() {\n    println!("running 1 test\\ntest adds ... ok");\n}\n// #[test]\n',
    },
    required,
  );
  expect(harness.verdicts[line]).toMatchObject({ verdict: "failed", reason: expect.stringContaining("harness") });
  const stub = '#!/bin/sh\necho "running 1 test"\necho "test adds ... ok"\n';
  const stubbed = await testProject(
    {
      ...honest,
      "src/lib.rs": honest["src/lib.rs"].replace("a + b", "a - b"),
      ".cargo/config.toml": "[target.'cfg(all())']\nrunner = ['sh', 'stub.sh']\n",
      "stub.sh": stub,
    },
    required,
  );
  expect(stubbed.verdicts[line]).toMatchObject({
    verdict: "failed",
    reason: expect.stringContaining("turns failures green"),
  });
});
