/** Limits of a document; all are checked before anything is built from it. */
export const limits = {
  documentBytes: 1024 * 1024,
  /** Levels of maps and lists inside each other. */
  depth: 64,
  aliases: 100,
  /** Characters of one value. */
  scalarLength: 256 * 1024,
  /** Characters of one key. */
  keyLength: 1024,
  /** Characters of a name that the service keeps or tells of: the id of a task, the name of an environment, an approver. */
  nameLength: 200,
  /** Characters of the document's name, which stands in every list. */
  titleLength: 1_000,
  /** Entries of one map or list. */
  entries: 10_000,
  /** YAML tokens; prose has one per five characters, the densest JSON one per two. */
  tokens: 400_000,
  /** Values of phases, tasks and services, summed over the environments that override some of them. */
  mergedValues: 250_000,
  /** Environments that a result goes to by itself, one after the other. */
  autoDeployed: 50,
  /** Approvers of one environment: every event that asks for approval names them all. */
  approvers: 100,
  /** Tasks of a plan, without the built-in ones. */
  planTasks: 2000,
  /** Acceptance lines, with those of all phases: whoever checks, judges or reports them goes through all. */
  acceptanceLines: 20_000,
  /** Pairs of a task and an acceptance line that it serves; each line has at least one. */
  planServes: 20_000,
  /** Bytes of a task breakdown, which repeats parts of its document at greater length. */
  breakdownBytes: 4 * 1024 * 1024,
  /** Syntax problems after which the rest of the text is skipped. */
  syntaxProblems: 1000,
  /** Diagnostics reported; further ones are only counted. */
  diagnostics: 200,
  /** Characters of a message. */
  messageLength: 1000,
  /** Characters of a JSON Pointer. */
  pointerLength: 4096,
} as const;
