/** A part of JSON Schema, as far as our endpoints use it. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
}

type Content = Readonly<Record<string, { readonly schema?: Schema; readonly example?: unknown }>>;

/** One endpoint. */
export interface Operation {
  readonly method: string;
  readonly path: string;
  readonly operationId: string;
  readonly tags?: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly security?: readonly unknown[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly description?: string; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>;
}

/** The description that the service gives of itself, as far as the page shows it. */
export interface OpenApi {
  readonly info: { readonly version: string; readonly description: string };
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Omit<Operation, "method" | "path">>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export interface Description {
  readonly info: OpenApi["info"];
  readonly schemas: Readonly<Record<string, Schema>>;
  /** The endpoints by what they are about. */
  readonly groups: readonly { readonly name: string; readonly operations: readonly Operation[] }[];
}

/** Further paths of an endpoint stay in the description, for programs; people read each endpoint once. */
export function describe({ info, tags, paths, components }: OpenApi): Description {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Operation => ({ ...operation, method, path })),
  );
  const operations = all.filter(({ operationId }) => !operationId.endsWith("Alias"));
  const groups = tags.map(({ name }) => ({ name, operations: operations.filter((one) => one.tags?.[0] === name) }));
  return { info, schemas: components.schemas, groups };
}

/** The endpoints that a text names, by path, summary or name. */
export function search(groups: Description["groups"], text: string): Description["groups"] {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return groups;
  return groups
    .map(({ name, operations }) => ({
      name,
      operations: operations.filter(({ method, path, summary, operationId }) =>
        `${method} ${path} ${summary} ${operationId}`.toLowerCase().includes(wanted),
      ),
    }))
    .filter(({ operations }) => operations.length > 0);
}
