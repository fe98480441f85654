import type { RawCoverage } from "./raw-coverage.ts";

interface PythonFile {
  readonly lines: Readonly<Record<string, number>>;
  readonly functions: readonly (readonly [string, number, number])[];
}

/** Reads the lines and functions that our own Python program saw. */
export function readPythonLines(text: string): RawCoverage | undefined {
  try {
    const files = Object.entries(JSON.parse(text) as Record<string, PythonFile>).map(([path, file]) => ({
      path,
      lines: new Map(Object.entries(file.lines).map(([line, hits]) => [Number(line), hits === 1 ? 1 : 0])),
      functions: file.functions.map(([name, line, hits]) => ({ name: String(name), line, hits: hits === 1 ? 1 : 0 })),
    }));
    return { method: "coverage.py", listsEveryLine: false, files };
  } catch {
    return undefined;
  }
}
