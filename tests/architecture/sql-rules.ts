import type { Codebase, SourceFile, Violation } from "./codebase.ts";

const server = "packages/server/src/";

/** Decides who may read a project, for every feature. */
const readableBy = `${server}features/projects/readable-by-store.ts`;

/** A condition on a project's owner or approvers, or on the roles that read every project. */
const readConditions = [
  /\bany\(\s*(?:\w+\.)?approvers\s*\)/g,
  /(?<!\bwebhooks\.)\bowner_id(?:\s*=(?![=>])|",\s*"=")/g,
  /=\s*projects\.owner_id\b/g,
  /\brole\s+in\s*\(/g,
];

/** Stores that compare an owner for another reason than to decide who may read a project. */
const comparesOwners: Readonly<Record<string, string>> = {
  "features/projects/store.ts": "the name of an owner",
  "features/projects/team-store.ts": "the owner of an application",
  "features/webhooks/webhook-store.ts": "the owner of a webhook",
  "engine/generation/store.ts": "the owner of an application",
  "features/secrets-api/store.ts": "the owner of a secret",
};

export function oneFileDecidesWhoReads(codebase: Codebase): Violation[] {
  return inSource(codebase, readConditions, ({ path }) => {
    if (path === readableBy || path.slice(server.length) in comparesOwners) return undefined;
    return "who may read a project is decided in features/projects/readable-by-store.ts: use its condition";
  });
}

/** SQL on the table `jobs`, as text or by the query builder. */
const sqlOnJobs = [
  /\b(?:from|into|update|join|using|table)\s+jobs\b/gi,
  /\b(?:selectFrom|insertInto|updateTable|deleteFrom|mergeInto|\w*Join|using)\(\s*"jobs\b/g,
];

export function onlyTheQueueHasSqlOnJobs(codebase: Codebase): Violation[] {
  return inSource(codebase, sqlOnJobs, ({ path }) =>
    path.startsWith(`${server}engine/jobs/`) ? undefined : "only engine/jobs has SQL on 'jobs': add a function there",
  );
}

/** Asks about each match in a store of the server. */
function inSource(
  { packages }: Codebase,
  patterns: readonly RegExp[],
  objection: (file: SourceFile) => string | undefined,
): Violation[] {
  const stores = packages
    .flatMap(({ files }) => files)
    .filter(({ path }) => path.startsWith(server) && /(?:^|[/-])store\.ts$/.test(path));
  return stores.flatMap((file) => {
    const message = objection(file);
    if (message === undefined) return [];
    const starts = patterns.flatMap((pattern) => [...file.text.matchAll(pattern)].map(({ index }) => index));
    const lines = new Set(starts.map((start) => file.text.slice(0, start).split("\n").length));
    return [...lines].map((line) => ({ file: file.path, line, message }));
  });
}
