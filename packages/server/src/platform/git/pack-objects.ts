/**
 * Git looks for what each file has in common with ten others. Where nothing is, as in pictures and models, that takes half
 * a minute for 100 MB, and every later save does it again: larger files are packed as they are, ten times as fast.
 */
export const largeFilesAsTheyAre = "core.bigFileThreshold=512k";
const config: readonly string[] = [largeFilesAsTheyAre];

/** How git is asked to pack a history, which it reads from its input. */
export function packArgs(more: readonly string[]): {
  readonly args: readonly string[];
  readonly config: readonly string[];
} {
  return { args: ["pack-objects", "--revs", "--delta-base-offset", "-q", ...more], config };
}
