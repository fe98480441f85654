/** Calls back when the older Node that launched this process is gone: it can no longer pass signals on. */
export function onLauncherGone(callback: () => void): void {
  if (process.env["SLIPWAY_LAUNCHED"] !== "1" || process.send === undefined) return;
  if (!process.connected) callback();
  process.once("disconnect", callback);
  process.channel?.unref();
}
