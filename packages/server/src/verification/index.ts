export { type CheckedResult, checkResult, type ResultToCheck } from "./check-result.ts";
export { collectArtifacts } from "./collect-artifacts.ts";
export { acceptancePage } from "./report/acceptance-page.ts";
export { assembleReport, countVerdicts, withVerdicts } from "./report/assemble-report.ts";
export { type Finding, SecurityScans } from "./scans/index.ts";
export { writeOverrides } from "./scripts/dependency-overrides.ts";
export { findScripts } from "./scripts/find-scripts.ts";
export { isEmptyResult, whyNotOwn } from "./scripts/own-file.ts";
export { type EvidenceFile, evidenceFolder, type LineVerdict } from "./verdict.ts";
