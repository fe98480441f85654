export { compareTests } from "./compare-tests.ts";
export { evidenceOf } from "./evidence.ts";
export { judgeTests } from "./judge-tests.ts";
export { runTests } from "./run-tests.ts";
export type { TestsResult } from "./test-case.ts";
