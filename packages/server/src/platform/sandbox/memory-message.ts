/** The message for a run that exceeded its memory limit. */
export function memoryLimitMessage({ usedBytes, limitBytes }: { usedBytes: number; limitBytes: number }): string {
  const used = inUnits(usedBytes, Math.ceil);
  return `Process killed due to memory limit exceeded. Agent used ${used}, limit was ${inUnits(limitBytes, Math.round)}`;
}

/** `2.1GB`, `2GB`, `512MB`. Usage is rounded up, so that it never seems to be within the limit. */
function inUnits(bytes: number, round: (value: number) => number): string {
  const gigabytes = bytes / 2 ** 30;
  if (gigabytes < 1) return `${round(bytes / 2 ** 20)}MB`;
  return `${round(gigabytes * 10) / 10}GB`;
}
