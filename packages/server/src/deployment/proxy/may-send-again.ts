/** What became of a request at an instance. */
interface FailedTry {
  readonly method: string;
  readonly hasBody: boolean;
  /** Bytes of it may have reached the instance. */
  readonly isSent: boolean;
  /** Bytes of an answer have come. */
  readonly isAnswered: boolean;
  readonly errorCode: string | undefined;
  /** At how many instances it was tried, this one included. */
  readonly tries: number;
}

/** The first and two more: each at an instance that was not tried, or once more at the only one. */
const maxTries = 3;
const safeMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** Nothing is carried out twice: what has a body or changes something goes elsewhere only if nothing of it was sent. */
export function maySendAgain({ method, hasBody, isSent, isAnswered, errorCode, tries }: FailedTry): boolean {
  if (isAnswered || errorCode === "UND_ERR_HEADERS_TIMEOUT" || tries >= maxTries) return false;
  return !isSent || (!hasBody && safeMethods.has(method));
}
