import type { Codebase, Violation } from "./codebase.ts";
import { importsGoNoCircles } from "./cycle-rule.ts";
import {
  arrowsAreAllowed,
  browserPackagesAreFreeOfNode,
  dependenciesHaveOneHome,
  packagesAreEnteredByTheirExports,
  packagesAreKnown,
} from "./package-rules.ts";
import {
  domainsMeetAtTheirIndex,
  lifecycleStandsAlone,
  onlyTheAppWiresDomains,
  sqlStaysInStores,
} from "./server-rules.ts";

/** The rules of the architecture: what each demands, and what finds the imports that break it. */
export const rules = {
  "every package says what it may import": packagesAreKnown,
  "packages import each other only along the arrows of the architecture": arrowsAreAllowed,
  "a package is imported by its name and what it exports, not by a path": packagesAreEnteredByTheirExports,
  "packages for browsers import nothing of Node": browserPackagesAreFreeOfNode,
  "a package of others is imported in one folder": dependenciesHaveOneHome,
  "files do not import each other in a circle": importsGoNoCircles,
  "domains of the server use each other through index.ts": domainsMeetAtTheirIndex,
  "the server's lifecycle imports no other domain": lifecycleStandsAlone,
  "only what wires and starts the server imports domains from beside them": onlyTheAppWiresDomains,
  "SQL libraries are imported in the server's database/ and store.ts only": sqlStaysInStores,
} satisfies Record<string, (codebase: Codebase) => Violation[]>;

export type RuleName = keyof typeof rules;
