/** For a process that goes on where nobody reads what it prints any more, or the disk has no room for it. */
export function outliveOutput(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
}
