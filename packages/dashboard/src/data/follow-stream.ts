interface Options {
  readonly signal: AbortSignal;
  readonly patienceMs: number;
}

/** Follows a stream as long as somebody looks: browsers open only six connections to one service. Returns what ends it. */
export function followStream<T>(open: (options: Options) => AsyncIterable<T>, onNews: (news: T) => void): () => void {
  let watching = new AbortController();
  const begin = () => {
    watching.abort();
    watching = new AbortController();
    if (document.visibilityState === "visible") void follow(watching.signal);
  };
  const follow = async (signal: AbortSignal) => {
    try {
      for await (const news of open({ signal, patienceMs: Number.POSITIVE_INFINITY })) onNews(news);
    } catch {
      // Ended by us, or nobody is signed in any more: then the sign-in begins a new one.
    }
  };
  document.addEventListener("visibilitychange", begin);
  begin();
  return () => {
    document.removeEventListener("visibilitychange", begin);
    watching.abort();
  };
}
