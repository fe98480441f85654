export { compareTests } from "./compare-tests.ts";
export { declaredNow } from "./declared-tests.ts";
export { casesPath, evidenceOf } from "./evidence.ts";
export { judgeTests } from "./judge-tests.ts";
export type { TestCase, TestsResult } from "./test-case.ts";
export { readBuilt, readCommitted, runUnchangedTests } from "./unchanged-tests.ts";
