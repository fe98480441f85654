/** Asks a few times, less and less often, until what was begun is over: no stream tells of it. */
export async function untilSettled(isSettled: () => Promise<boolean>): Promise<void> {
  for (let waitMs = 250; waitMs <= 8_000; waitMs *= 2) {
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    if (await isSettled()) return;
  }
}
