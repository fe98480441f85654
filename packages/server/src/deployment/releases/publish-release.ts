import type { CompleteSpec } from "@slipway/spec";
import { FileRefusal } from "../../platform/project-files/index.ts";
import { Masker, SecretFinder } from "../../platform/secrets/index.ts";
import { secretFound } from "./pack-archive.ts";
import { publishBundle } from "./publish-bundle.ts";
import { publishCommand } from "./publish-command.ts";
import { publishModel } from "./publish-model.ts";
import { publishPackage } from "./publish-package.ts";
import { publishSite } from "./publish-site.ts";
import type { Publish, PublishDeps, PublishedRelease, PublishFailure, ReleaseToPublish } from "./release.ts";

/**
 * Makes what people install, call or open from a built result, and says how in one line. The result is what its outcome
 * type says; where its files do not fit that, what they look like; in the end an archive of all files.
 */
export async function publishRelease(
  deps: PublishDeps,
  release: ReleaseToPublish,
): Promise<PublishedRelease | PublishFailure> {
  try {
    const published = await firstThatFits(deps, release);
    return "failure" in published ? published : await withoutSecrets(published, Object.values(release.secrets ?? {}));
  } catch (error) {
    if (!(error instanceof FileRefusal)) throw error;
    return { failure: `The result cannot be released: ${error.message}`, output: "" };
  }
}

async function firstThatFits(deps: PublishDeps, release: ReleaseToPublish): Promise<PublishedRelease | PublishFailure> {
  for (const publish of waysOf(release.document)) {
    const published = await publish(deps, release);
    if (published !== undefined) return published;
  }
  return publishBundle(deps, release);
}

/**
 * What people read of it beside its files: names, and texts of the result that were taken before its programs ran, which may
 * have removed them from the files since.
 */
async function withoutSecrets(
  published: PublishedRelease,
  secrets: readonly string[],
): Promise<PublishedRelease | PublishFailure> {
  const texts = [published.usage, published.start ?? "", ...published.files.map(({ path }) => path)];
  if ((await new SecretFinder(secrets).findIn([Buffer.from(texts.join("\n"))])).size > 0) return secretFound;
  return { ...published, usage: new Masker(secrets).mask(published.usage) };
}

/**
 * Whether a result is started and reached at an address. Of outcome types that do not run, only the document itself may say
 * so: `go run .` is a guess that fits every program, and most of them serve nothing.
 */
export function isServer(
  { outcome_type, scripts }: Pick<CompleteSpec, "outcome_type" | "scripts">,
  found: { readonly start?: string | undefined },
): boolean {
  const isProgram = ["library", "cli", "ml-pipeline", "infrastructure"].includes(outcome_type);
  return (isProgram ? scripts?.start : (scripts?.start ?? found.start)) !== undefined;
}

/** What to try, in this order. */
function waysOf({ outcome_type }: CompleteSpec): readonly Publish[] {
  switch (outcome_type) {
    case "library":
      return [publishPackage];
    case "cli":
      return [publishCommand, publishPackage];
    case "ml-pipeline":
      return [publishModel, publishCommand];
    case "infrastructure":
      return [];
    case "documentation":
    case "game":
    case "web-app":
    case "mobile-app":
    case "desktop-app":
      return [publishSite, publishCommand];
    default:
      return [publishCommand, publishPackage, publishSite];
  }
}
