export { type Advisories, loadAdvisories } from "./dependencies/advisories.ts";
export { FileScanner } from "./file-scanner.ts";
export type { Finding, ScanResult } from "./finding.ts";
export { judgeScan } from "./judge-scan.ts";
export { scanProject } from "./scan-project.ts";
export { SecurityScans } from "./security-scans.ts";
