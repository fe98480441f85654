import type { Codebase, Violation } from "./codebase.ts";
import { importsGoNoCircles } from "./cycle-rule.ts";
import { projectFilesHaveOneDoor, temporaryFoldersHaveOneDoor } from "./file-rules.ts";
import {
  arrowsAreAllowed,
  browserPackagesAreFreeOfNode,
  dependenciesHaveOneHome,
  packagesAreEnteredByTheirExports,
  packagesAreKnown,
} from "./package-rules.ts";
import { arrowsPointDown, domainsGoNoCircles, domainsMeetAtTheirIndex, sqlStaysInStores } from "./server-rules.ts";
import { oneFileDecidesWhoReads, onlyTheQueueHasSqlOnJobs } from "./sql-rules.ts";

/** The rules of the architecture: what each demands, and what finds the lines that break it. */
export const rules = {
  "every package says what it may import": packagesAreKnown,
  "packages import each other only along the arrows of the architecture": arrowsAreAllowed,
  "a package is imported by its name and what it exports, not by a path": packagesAreEnteredByTheirExports,
  "packages for browsers import nothing of Node": browserPackagesAreFreeOfNode,
  "a package of others is imported in one folder": dependenciesHaveOneHome,
  "files do not import each other in a circle": importsGoNoCircles,
  "domains of the server use each other through index.ts": domainsMeetAtTheirIndex,
  "the server's floors import only what is below them": arrowsPointDown,
  "domains of the server do not need each other in a circle": domainsGoNoCircles,
  "SQL libraries are imported in the server's platform/database and stores only": sqlStaysInStores,
  "one file decides who may read a project": oneFileDecidesWhoReads,
  "files of projects are touched through platform/project-files": projectFilesHaveOneDoor,
  "temporary folders are made by platform/temporary-folders.ts": temporaryFoldersHaveOneDoor,
  "only engine/jobs has SQL on the table jobs": onlyTheQueueHasSqlOnJobs,
} satisfies Record<string, (codebase: Codebase) => Violation[]>;

export type RuleName = keyof typeof rules;
