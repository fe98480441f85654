import type { Reader } from "./reader.ts";

/** Lists of packages that nobody reads, and what stands in those that are not empty. */
export const unreadLists: readonly Reader[] = [
  unread(/(?:^|\/)(?:Gemfile|gems\.rb)$/, /^[ \t]{0,99}gem\b/m),
  unread(/(?:^|\/)(?:Gemfile\.lock|gems\.locked)$/, /^ {4}\S/m),
  unread(
    /(?:^|\/)composer\.(?:json|lock)$/,
    /"(?:require|require-dev)"\s*:\s*\{\s*"|"packages(?:-dev)?"\s*:\s*\[\s*\{/,
  ),
  unread(/(?:^|\/)pom\.xml$/, /<(?:dependency|plugin)>/),
  unread(
    /(?:^|\/)(?:build\.gradle(?:\.kts)?|libs\.versions\.toml|gradle\.lockfile)$/,
    /[^\s:]:[^\s:]{1,200}:[^\s:]|\bmodule\s{0,20}=/,
  ),
  unread(/\.(?:cs|fs|vb)proj$/, /<PackageReference\b/),
  unread(/(?:^|\/)packages\.(?:config|lock\.json)$/, /<package\b|"resolved"/),
  unread(/(?:^|\/)mix\.lock$/, /:hex\b|:git\b/),
  unread(/(?:^|\/)pubspec\.lock$/, /^ {2}\S/m),
  unread(/(?:^|\/)Package\.resolved$/, /"version"\s*:\s*"/),
];

function unread(file: RegExp, sign: RegExp): Reader {
  return {
    file,
    read: (text) => {
      if (sign.test(text)) throw new Error("Nobody here reads such a list.");
      return [];
    },
  };
}
