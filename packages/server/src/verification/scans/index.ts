export { type Advisories, loadAdvisories } from "./dependencies/advisories.ts";
export type { Finding, ScanResult, Severity, Waiver } from "./finding.ts";
export { judgeScan } from "./judge-scan.ts";
export { scanProject } from "./scan-project.ts";
