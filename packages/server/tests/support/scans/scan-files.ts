import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { CompleteSpec } from "@slipway/spec";
import { onTestFinished } from "vitest";
import { type Advisories, FileScanner, type ScanResult, scanProject } from "../../../src/verification/scans/index.ts";

export type Guardrails = CompleteSpec["guardrails"];

export const noAdvisories = "The operator has set no advisory database (security_advisories).";

/** Guardrails as a document without any has them, and what a test adds. */
export function guardrailsOf(added: Partial<Guardrails> = {}): Guardrails {
  return {
    tests_required: false,
    performance_tests: false,
    security_tests: false,
    security_scan: "block",
    lint: false,
    type_check: false,
    repair_rounds: 2,
    unverified: "allow",
    deployment: {
      tests_required: false,
      security_scan_required: false,
      rollback_timeout_minutes: 10,
      health_check_retries: 3,
    },
    ...added,
  };
}

/** A folder with these files, gone after the test. */
export async function folderWith(files: Readonly<Record<string, string | Uint8Array>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "slipway-scan-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  return folder;
}

interface ScanOptions {
  readonly guardrails?: Partial<Guardrails>;
  readonly advisories?: Advisories | string;
  readonly now?: Date;
  readonly limits?: Parameters<typeof scanProject>[0]["limits"];
}

/** One thread for the tests of a file; it must not keep their process alive. */
const scanner = new FileScanner();

/** Scans a folder as a service without advisories does. */
export function scanFolder(
  folder: string,
  { guardrails, advisories = noAdvisories, now = new Date("2026-11-16T12:00:00Z"), limits }: ScanOptions = {},
): Promise<ScanResult> {
  const document = { name: "harbour", guardrails: guardrailsOf(guardrails) };
  const { signal } = new AbortController();
  return scanProject({ folder, document, advisories, signal, now, scanner, ...(limits && { limits }) });
}

/** The rules of all findings, each with its place. */
export function placesOf({ findings }: ScanResult): string[] {
  return findings.map(({ ruleId, path, line }) => `${path}:${line} ${ruleId}`).sort();
}
