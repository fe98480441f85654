/** A package that a project takes from others, as a lockfile names it. */
export interface Component {
  /** As OSV names them. */
  readonly ecosystem: "npm" | "PyPI" | "Go" | "crates.io";
  readonly name: string;
  /** Undefined where the file does not pin one. */
  readonly version: string | undefined;
  /** As an SPDX expression, where metadata tells it. */
  readonly license: string | undefined;
  /** The file that names it. */
  readonly path: string;
  readonly line: number;
  readonly isDevelopment: boolean;
}
