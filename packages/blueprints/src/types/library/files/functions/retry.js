//@ <T>(action: (attempt: number) => Promise<T> | T, attempts?: number, waitMs?: number): Promise<T>
export async function retry(action, attempts = 3, waitMs = 0) {
  if (!(attempts >= 1)) throw new RangeError("attempts must be at least 1");
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await action(attempt);
    } catch (error) {
      if (attempt >= attempts) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}
//: await retry((attempt) => { if (attempt < 3) throw new Error("not yet"); return attempt; }, 3, 0) => 3
//: await retry(() => { throw new TypeError("never"); }, 2, 0) !! TypeError
//: await retry(() => 1, 0, 0) !! RangeError
