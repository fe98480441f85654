import type { Component } from "./component.ts";

/** Reads files that name packages of others. */
export interface Reader {
  /** The paths that it is for. */
  readonly file: RegExp;
  /** Whether it tells what is asked for, where a lockfile beside it tells what is taken. */
  readonly isManifest?: true;
  readonly read: (text: string, path: string) => Iterable<Component>;
}
