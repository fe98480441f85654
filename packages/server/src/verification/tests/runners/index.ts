import type { RunnerName } from "../test-case.ts";
import { cargoTest } from "./cargo-test.ts";
import { goTest } from "./go-test.ts";
import { jest } from "./jest.ts";
import { nodeTest } from "./node-test.ts";
import { pytest, unittest } from "./python.ts";
import type { Runner } from "./runner.ts";
import { vitest } from "./vitest.ts";

/** Every runner that we call ourselves. */
export const runners: Readonly<Record<RunnerName, Runner>> = {
  "node:test": nodeTest,
  vitest,
  jest,
  pytest,
  unittest,
  "go test": goTest,
  "cargo test": cargoTest,
};
