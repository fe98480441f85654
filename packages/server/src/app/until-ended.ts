/** Aborted by the first signal that asks a command to end; at the second, it ends at once. */
export function untilEnded(why: Error): AbortSignal {
  const ending = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => ending.abort(why));
  return ending.signal;
}
