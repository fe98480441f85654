/** What shells say of a program that wrote to a pipe without a reader. */
const unreadCode = 141;

/**
 * Ends the process where nobody gets its results: quietly if the reader went away (`| head`), which is no success before the
 * command has ended; with a line if there is no room. Messages that have no place are left out, and change no exit code.
 */
export function endWithOutput(): void {
  process.stderr.on("error", () => undefined);
  process.stdout.on("error", ({ code, message }: NodeJS.ErrnoException) => {
    if (code === "EPIPE") process.exit(process.exitCode ?? unreadCode);
    process.stderr.write(`slipway: the output cannot be written: ${message}\n`);
    process.exit(1);
  });
}
