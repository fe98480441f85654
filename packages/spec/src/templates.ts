/** The names for `{{…}}`, each with its meaning. Secrets are `secrets.<NAME>`. */
export const templateNames = {
  "project.id": "the project's id",
  "project.name": "the document's name",
  "project.status": "the project's status",
  "project.url": "the address of the project's page",
  phase: "the phase it is about",
  next_phase: "the phase that follows",
  environment: "the environment",
  version: "the deployed version",
  url: "the address of what was deployed",
  task: "the task's title",
  agent: "the agent's id",
  error: "what went wrong",
} as const;

export type TemplateName = keyof typeof templateNames;

export interface TemplatePart {
  /** The text between the braces, trimmed. */
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** The `{{…}}` in a text, in order. Braces that do not close on their line are plain text. */
export function templateParts(text: string): readonly TemplatePart[] {
  return [...findParts(text)];
}

function* findParts(text: string): Generator<TemplatePart> {
  for (const match of text.matchAll(/\{\{([^{}\n]*)\}\}/g))
    yield { name: (match[1] ?? "").trim(), start: match.index, end: match.index + match[0].length };
}

export function isTemplateName(name: string): name is TemplateName {
  return Object.hasOwn(templateNames, name);
}

/** The secret that a template name refers to, if any. */
export function secretNamed(name: string): string | undefined {
  return /^secrets\.(\S+)$/.exec(name)?.[1];
}

/** Fills in a text. A name that `lookUp` does not know stays as written. Stops where it has more than `maxLength` characters. */
export function fillTemplate(
  text: string,
  lookUp: (name: string) => string | undefined,
  maxLength = Number.POSITIVE_INFINITY,
): string {
  let filled = "";
  let from = 0;
  for (const { name, start, end } of findParts(text)) {
    if (filled.length > maxLength) return filled;
    filled += text.slice(from, start) + (lookUp(name) ?? text.slice(start, end));
    from = end;
  }
  return filled + text.slice(from);
}
