/**
 * Calls back when the `slipway` command that started this process is gone: it holds the other end of our channel. Who was
 * started by anybody else, with a channel or without, goes on without them.
 */
export function onLauncherGone(end: () => void): void {
  const isLaunched = process.env["SLIPWAY_LAUNCHED"] === "1" && process.send !== undefined;
  // What we start is not the command's.
  delete process.env["SLIPWAY_LAUNCHED"];
  if (!isLaunched) return;
  if (!process.connected) end();
  process.once("disconnect", end);
  // To listen must not keep the process alive.
  process.channel?.unref();
}
