/** A folder that several programs may write to, and the variables by which they find it: a cache of packages, say. */
export interface SharedFolder {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}
