import { parseHcl } from "../formats/hcl.js";
import { parseYaml, parseYamlStream } from "../formats/yaml.js";

/**
 * The files of the description as data, and what could not be read. Checks work on these and not on the description:
 * what a person changed by hand is checked as well.
 *
 * @param {Record<string, string | undefined>} files by path
 */
export function readFiles(description, files) {
  const problems = [];
  const read = (path, parse) => {
    if (path === null) return undefined;
    if (files[path] === undefined) {
      problems.push(`${path} is missing`);
      return undefined;
    }
    try {
      return parse(files[path]);
    } catch (error) {
      problems.push(`${path}: ${error.message}`);
      return undefined;
    }
  };
  const environments = description.environments.map((environment) => ({
    ...environment,
    composeData: read(environment.compose, parseYaml),
    manifests: read(environment.kubernetes, parseYamlStream),
    hcl: read(environment.terraform, (text) => ({ ...parseHcl(text), text })),
  }));
  return { environments, problems };
}
