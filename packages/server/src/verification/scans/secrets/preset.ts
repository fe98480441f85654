import { lintSource } from "@secretlint/core";
import { secretLintProfiler } from "@secretlint/profiler";
import { rules } from "@secretlint/secretlint-rule-preset-recommend";
import type { FoundSecret } from "./find-secrets.ts";
import { isPlaceholder } from "./placeholder.ts";

// It would keep for ever how long each rule took for each file: 15 KB a file, until the thread has no memory left.
secretLintProfiler.setEnabled(false);

/** Lets a comment in the file turn the others off: whoever hides a key would write it. */
const obeysComments = "@secretlint/secretlint-rule-filter-comments";

const config = {
  rules: rules
    .filter(({ meta }) => meta.id !== obeysComments)
    .map((rule) => ({
      id: rule.meta.id,
      rule,
      options: rule.meta.id.endsWith("-aws") ? { enableIDScanRule: true } : {},
    })),
};

/** Some of its expressions take the square of the text's length, so they get it in slices. */
const maxSliceChars = 48 * 1024;
/** What lies on the edge of two slices is in both. */
const overlapChars = 4 * 1024;

/** What secretlint's recommended rules find, whatever comments in the file ask them. */
export async function findByPreset(text: string): Promise<FoundSecret[]> {
  const found: FoundSecret[] = [];
  for (let at = 0; at === 0 || at + overlapChars < text.length; at += maxSliceChars - overlapChars)
    found.push(...(await findInSlice(text.slice(at, at + maxSliceChars), at)));
  return found;
}

async function findInSlice(content: string, offset: number): Promise<FoundSecret[]> {
  // Its name would let rules skip it.
  const source = { filePath: "file", content, contentType: "text" as const };
  const { messages } = await lintSource({
    source,
    options: { config: config as never, noPhysicFilePath: true, maskSecrets: true },
  });
  return messages.flatMap(({ ruleId, range: [start, end] }) => {
    if (isPlaceholder(content.slice(start, end))) return [];
    const id = ruleId.replace("@secretlint/secretlint-rule-", "");
    return [{ id, what: `credential (${id})`, severity: "high", start: offset + start, end: offset + end }];
  });
}
