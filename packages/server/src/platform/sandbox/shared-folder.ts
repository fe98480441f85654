/** A folder that several runs may write to, such as a package cache, and the variables by which programs find it. */
export interface SharedFolder {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}
