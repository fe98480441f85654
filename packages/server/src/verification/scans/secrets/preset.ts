import { lintSource } from "@secretlint/core";
import { rules } from "@secretlint/secretlint-rule-preset-recommend";
import type { FoundSecret } from "./find-secrets.ts";

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

/** What secretlint's recommended rules find, whatever comments in the file ask them. */
export async function findByPreset(content: string): Promise<FoundSecret[]> {
  // Its name would let rules skip it.
  const source = { filePath: "file", content, contentType: "text" as const };
  const { messages } = await lintSource({
    source,
    options: { config: config as never, noPhysicFilePath: true, maskSecrets: true },
  });
  return messages.map(({ ruleId, range: [start, end] }) => {
    const id = ruleId.replace("@secretlint/secretlint-rule-", "");
    return { id, what: `credential (${id})`, severity: "high", start, end };
  });
}
