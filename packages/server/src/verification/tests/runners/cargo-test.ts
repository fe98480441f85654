import { withoutOptions } from "../parse-script.ts";
import type { Runner } from "./runner.ts";

const ours = ["--no-run", "--no-fail-fast", "-q", "--quiet", "--message-format="];

export const cargoTest: Runner = {
  name: "cargo test",

  command({ reports, words }) {
    const own = withoutOptions(words, ours);
    const end = own.includes("--") ? own.indexOf("--") : own.length;
    return `cargo test --no-fail-fast --color=never ${own.slice(0, end).join(" ")} > ${reports.path}/cargo.txt 2>&1`;
  },

  trap(path, token) {
    const text = `#[test]
fn ${token}_compares() {
    assert_eq!(1, 2);
}

#[test]
fn ${token}_throws() {
    panic!("as it must");
}
`;
    return { path: `${path.slice(0, path.lastIndexOf("/") + 1)}${token}.rs`, text };
  },

  async readCases(reports, { maxCases }) {
    return reports.readAs("cargo.txt", "cargo", maxCases);
  },

  readCoverage: async () => undefined,
};
