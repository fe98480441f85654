/** Told where a call took longer than it may: the page or the browser does not answer. */
export class TooLong extends Error {}

/** The result of a call, or a refusal when it takes too long: not every call to a browser has a limit of its own. */
export async function within<T>(limitMs: number, call: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new TooLong(`no answer within ${Math.ceil(limitMs / 1000)} seconds`)),
    Math.max(0, limitMs),
  );
  call.catch(() => undefined);
  try {
    return await Promise.race([call, promise]);
  } finally {
    clearTimeout(timer);
  }
}
