/**
 * Calls back when the `slipway` command that started this process is gone: it holds the other end of our IPC channel.
 * A process that anything else started goes on without its parent, with a channel or without.
 */
export function onLauncherGone(end: () => void): void {
  const isLaunched = process.env["SLIPWAY_LAUNCHED"] === "1" && process.send !== undefined;
  // For this process only: programs that it starts were not launched by the command.
  delete process.env["SLIPWAY_LAUNCHED"];
  if (!isLaunched) return;
  if (!process.connected) end();
  process.once("disconnect", end);
  // The listener must not keep the process alive.
  process.channel?.unref();
}
