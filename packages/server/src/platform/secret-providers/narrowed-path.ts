import { ProviderFailure, type SecretRequest, type UnusedField } from "../secrets/index.ts";

const segment = /^(?!\.{1,2}$)[\w.@-]{1,100}$/;
const maxSegments = 20;

/** The path of the operator and, below it, the one of the document: in its URI, then in `config.path`. */
export function narrowedPath(root: string, request: Pick<SecretRequest, "path" | "config">): readonly string[] {
  const asked = [request.path ?? "", configuredPath(request) ?? ""].flatMap((path) => {
    const trimmed = path.replace(/^\/|\/$/g, "");
    return trimmed === "" ? [] : trimmed.split("/");
  });
  if (asked.length > maxSegments || !asked.every((part) => segment.test(part)))
    throw new ProviderFailure("a path in a document must be names separated by '/', such as teams/shop.");
  return [...(root === "" ? [] : root.split("/")), ...asked];
}

function configuredPath({ config }: Pick<SecretRequest, "config">): string | undefined {
  const path = (config as { readonly path?: unknown } | undefined)?.path;
  if (path === undefined) return undefined;
  if (typeof path === "string") return path;
  throw new ProviderFailure("'secrets.config.path' in the document must be a text.");
}

interface Heeded {
  readonly path?: boolean;
  readonly region?: boolean;
}

/** What of `secrets` in a document has no effect, since the operator decides it. */
export function unusedFields(
  heeded: Heeded,
  { path, region, config }: Pick<SecretRequest, "path" | "region" | "config">,
): UnusedField[] {
  const keys = Object.keys((config ?? {}) as object).filter((key) => key !== "path" || !heeded.path);
  return [
    ...(path !== undefined && !heeded.path
      ? [{ pointer: "/provider", reason: "The provider has no paths; what follows '://' has no effect." }]
      : []),
    ...(region !== undefined && !heeded.region
      ? [{ pointer: "/region", reason: "The provider has no regions, so this has no effect." }]
      : []),
    ...keys.map((key) => ({
      pointer: `/config/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`,
      reason: "This has no effect: the operator decides where and how secrets are read.",
    })),
  ];
}
