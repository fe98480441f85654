import { componentsIn } from "../scans/dependencies/lockfiles.ts";
import { sbomOf } from "../scans/sbom.ts";
import { lockedVersions } from "../scripts/locked-versions.ts";
import type { coverageOfFiles } from "../tests/code-coverage/coverage-of-file.ts";
import { type RawCoverage, whyTooMuch } from "../tests/code-coverage/raw-coverage.ts";
import { readCobertura } from "../tests/code-coverage/read-cobertura.ts";
import { readGoProfile } from "../tests/code-coverage/read-go-profile.ts";
import { readIstanbul } from "../tests/code-coverage/read-istanbul.ts";
import { readLcov } from "../tests/code-coverage/read-lcov.ts";
import { readPythonLines } from "../tests/code-coverage/read-python-lines.ts";
import { readCargoOutput } from "../tests/read-cargo-output.ts";
import { readGoEvents } from "../tests/read-go-events.ts";
import { readJestJson } from "../tests/read-jest-json.ts";
import { readJunit } from "../tests/read-junit.ts";

/**
 * Everything that is read from texts of a project which may be large, or made of what they say. What a reader finds must
 * stay small: the service's own thread unpacks it. A reader that throws says why the text cannot be used.
 */
const readers = {
  components: componentsIn,
  sbom: sbomOf,
  lockedVersions,
  junit: readJunit,
  jest: readJestJson,
  goEvents: readGoEvents,
  cargo: readCargoOutput,
  cobertura: async (xml: string) => notTooMuch(await readCobertura(xml)),
  istanbul: (text: string) => notTooMuch(readIstanbul(text)),
  lcov: (text: string, options: Parameters<typeof readLcov>[1]) => notTooMuch(readLcov(text, options)),
  goProfile: (text: string) => notTooMuch(readGoProfile(text)),
  pythonLines: (text: string) => notTooMuch(readPythonLines(text)),
  // Loaded when first needed: its parser is large.
  coverageOfFiles: async (...args: Parameters<typeof coverageOfFiles>) =>
    (await import("../tests/code-coverage/coverage-of-file.ts")).coverageOfFiles(...args),
} as const;

export type Readers = typeof readers;

export interface ToRead {
  readonly reader: keyof Readers;
  readonly args: readonly unknown[];
}

/** What a reader finds, in whichever thread. */
export async function answer({ reader, args }: ToRead): Promise<unknown> {
  return (readers[reader] as (...args: readonly unknown[]) => unknown)(...args);
}

function notTooMuch<Raw extends RawCoverage | undefined>(raw: Raw): Raw {
  const reason = raw === undefined ? undefined : whyTooMuch([raw]);
  if (reason !== undefined) throw new Error(reason);
  return raw;
}
