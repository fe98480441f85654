import { formatVersion } from "../schema/document.ts";
import type { Rule } from "./rule.ts";

/** Refuses another major version, and warns of a newer minor version, which may have unknown keys. */
export const checkVersion: Rule = (context) => {
  const version = context.document.spec_version;
  if (version === undefined) return;
  const at = ["spec_version"];
  const { major, minor } = formatVersion;
  const [writtenMajor = 0, writtenMinor = 0] = version.split(".").map(Number);
  if (writtenMajor !== major) {
    const message = `Document version ${version} is not supported. Only version ${major} is.`;
    return context.report("unsupported_version", at, message, `Write the document for version ${major}.${minor}.0.`);
  }
  if (writtenMinor > minor) {
    const message = `Version ${version} is newer than ${major}.${minor}. Keys that it added are kept but not checked.`;
    context.report("newer_version", at, message, `Write "${major}.${minor}.0" if it uses no newer keys.`);
  }
};
