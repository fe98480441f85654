import { renderAll } from "../render/all.js";
import { addressProblems } from "./addresses.js";
import { policies } from "./policies.js";
import { readFiles } from "./read.js";
import { unresolvedReferences } from "./references.js";

/**
 * All that is wrong with the files of a description.
 *
 * @param {Record<string, string | undefined>} files by path
 * @param {Record<string, string>} rendered what the files should be
 */
export function checkAll(description, files, rendered = renderAll(description)) {
  const { environments, problems } = readFiles(description, files);
  return {
    unreadable: problems,
    addresses: addressProblems(description.network),
    outdated: Object.keys(rendered).filter((path) => files[path] !== rendered[path]),
    unresolved: [
      ...(description.services.length === 0 ? ["there is no service"] : []),
      ...environments.flatMap((environment) => unresolvedReferences(description, environment)),
    ],
    violations: description.policies.flatMap(({ id, rule, environments: where }) =>
      environments
        .filter(({ name }) => where === null || where.includes(name))
        .flatMap((environment) =>
          // Compose and Kubernetes may break it alike: that is one thing to mend.
          [...new Set(policies[id](description, environment))].map((text) => ({
            ...{ policy: id, rule, environment: environment.name, text },
          })),
        ),
    ),
  };
}
