import { createHash } from "node:crypto";
import type { RunError } from "../lifecycle/index.ts";

interface FailedCheck {
  readonly commit: string;
  /** Where the commit was checked out; every attempt has another folder. */
  readonly folder: string;
  readonly log: string;
  readonly error: RunError;
}

/**
 * Identifies a failure by commit, error and output, so that the same one is recognised. What differs between runs of the same
 * thing is left out: times, colours and the folder. If something else differs, the failure merely counts as another.
 */
export function failureFingerprint({ commit, folder, log, error }: FailedCheck): string {
  // Runners print tests in the order in which they end, so no two runs read alike; the error names those that failed.
  const output = error.code === "test_failed" ? "" : sameEachTime(log, folder);
  const text = JSON.stringify([commit, error.code, sameEachTime(error.message, folder), output]);
  return createHash("sha256").update(text).digest("base64url");
}

const maxCompared = 32 * 1024;
/** More is not looked through: what is left out makes a text shorter, but hardly eight times. */
const maxRead = 8 * maxCompared;
const colours = /\u001b\[[0-9;]*m/g;
const pointsInTime =
  /\b\d{4}-\d\d-\d\d[T _]\d\d[:_]\d\d(?:[:_]\d\d(?:[.,_]\d{1,9})?)?|\b\d\d:\d\d:\d\d(?:[.,]\d{1,9})?\b/g;
// Bounded repeats: the output is a project's own, and must not make the expression slow.
const durations =
  /\bduration_ms:? \d{1,15}(?:\.\d{1,15})?|\b\d{1,15}(?:\.\d{1,15})? ?(?:ns|[µu]s|ms|m?s|secs?|seconds?|minutes?)\b/g;

function sameEachTime(text: string, folder: string): string {
  return (
    text
      .slice(-maxRead)
      .replaceAll(colours, "")
      .replaceAll(folder, ".")
      .replaceAll(pointsInTime, "<time>")
      .replaceAll(durations, "<duration>")
      // Long output is cut at its beginning, and not always at the same place.
      .slice(-maxCompared)
  );
}
