/** Whether a command runs a tool, or a script of package.json, that the result does not have. */
export function runsUnknownTool(command: string): boolean {
  const line = command.trim();
  if (/^npm (?:test|t|run (?:build|test))(?:\s|$)/.test(line)) return false;
  return /^(?:npm|npx|yarn|pnpm|make|docker|curl|tsc|pytest|pip3?|cargo|go|bundle|tox|poetry)(?:\s|$)/.test(line);
}
