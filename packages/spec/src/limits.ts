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
  /** Words and signs of YAML; prose has one for each five characters, the densest JSON one for each two. */
  tokens: 400_000,
  /** Values of phases, tasks and services, summed over the environments that override some of them. */
  mergedValues: 250_000,
  /** Tasks of a plan, without the built-in ones. */
  planTasks: 2000,
  /** How often tasks of a plan may say that they serve a line of acceptance; each line has one task at least. */
  planServes: 20_000,
  /** Bytes of a task breakdown: what it repeats of its document takes more space there. */
  breakdownBytes: 4 * 1024 * 1024,
  /** Problems of syntax after which the rest of the text is not looked at. */
  syntaxProblems: 1000,
  /** Problems reported; what comes after is counted. */
  diagnostics: 200,
  /** Characters of a message. */
  messageLength: 1000,
  /** Characters of a pointer to a value. */
  pointerLength: 4096,
} as const;
