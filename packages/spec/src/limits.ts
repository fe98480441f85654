/** Bounds on what a document may be; all of them hold before anything is built from it. */
export const limits = {
  documentBytes: 1024 * 1024,
  /** Levels of maps and lists inside each other. */
  depth: 64,
  aliases: 100,
  /** Characters of one value. */
  scalarLength: 256 * 1024,
  /** Characters of one key. */
  keyLength: 1024,
  /** Entries of one map or list. */
  entries: 10_000,
  /** Problems reported; what comes after is counted. */
  diagnostics: 200,
  /** Characters of a message. */
  messageLength: 1000,
} as const;
