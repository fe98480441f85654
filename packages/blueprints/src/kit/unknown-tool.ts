/**
 * Why a command of a line does not end well, where that is known: the result has no such script, step or tool. Of anything
 * else, such as `cat README.md`, only running it tells. `runs` says of the result's own programs whether they know it.
 */
export function unmetCommand(command: string, runs: (command: string) => boolean | undefined): string | undefined {
  const isUnknown = runs(command) === false || (runs(command) === undefined && runsUnknownTool(command));
  return isUnknown ? "Nothing was built by rule for this command." : undefined;
}

/** Whether a command runs a tool, or a script of package.json, that the result does not have. */
export function runsUnknownTool(command: string): boolean {
  const line = command.trim();
  if (/^npm (?:test|t|run (?:build|test))(?:\s|$)/.test(line)) return false;
  return foreignTools.test(line);
}

/** Package managers and build tools of other projects than those that are built here. */
const foreignTools =
  /^(?:npm|npx|yarn|pnpm|bun|deno|make|docker|curl|tsc|pytest|pip3?|tox|poetry|cargo|go|bundle|rails|composer|mvn|gradle|dotnet|flutter|xcodebuild|swift|pulumi|helm)(?:\s|$)/;
