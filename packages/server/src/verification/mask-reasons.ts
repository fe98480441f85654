import type { Masker } from "../platform/secrets/index.ts";
import type { LineVerdict } from "./verdict.ts";

/** Checks quote what programs and files say. A document has thousands of lines: others have their turns. */
export async function maskReasons<Verdict extends Pick<LineVerdict, "reason">>(
  verdicts: readonly Verdict[],
  masker: Pick<Masker, "maskAll">,
): Promise<Verdict[]> {
  const reasons = await masker.maskAll(verdicts.map(({ reason }) => reason));
  return verdicts.map((verdict, at) => ({ ...verdict, reason: reasons[at]! }));
}
