import type { ReportedLine } from "@slipway/contract";

export type { Project, VerdictCounts } from "@slipway/contract";

export type ReportedVerdict = ReportedLine["verdict"];
