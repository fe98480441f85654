import type { ClusterObject } from "./cluster.ts";

/** The objects as `kubectl apply -f` reads them, one after the other. JSON is YAML: nothing in a text can become more than a text. */
export function writeManifest(objects: readonly ClusterObject[], namespace: string): string {
  return objects
    .map((object) => ({ ...object, metadata: { ...object.metadata, namespace } }))
    .map((object) => `---\n${JSON.stringify(object, undefined, 2)}\n`)
    .join("");
}
