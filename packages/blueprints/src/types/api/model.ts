/** The model of a service, as written to the files in `model/`; the keys are those of the files. */
export interface ServiceModel {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  readonly is_pretty: boolean;
  readonly bad_query_status: number;
  readonly auth: { readonly token_variable: string; readonly header?: string };
  /** What needs a token: `GET /path`, `/path`, or a prefix that ends with `*`. */
  readonly protects: readonly string[];
  /** Texts that error responses contain, by status. */
  readonly phrases: Readonly<Record<string, readonly string[]>>;
  readonly system: SystemModel;
}

export interface SystemModel {
  readonly health: readonly { readonly path: string; readonly answer: Readonly<Record<string, unknown>> }[];
  readonly openapi: readonly string[];
  readonly metrics: readonly string[];
  readonly exports: readonly string[];
  readonly logins: readonly LoginModel[];
  readonly accounts: readonly { readonly user: string; readonly hash: string }[];
  readonly bad_login_status: number;
}

export interface LoginModel {
  readonly path: string;
  readonly user_field: string;
  readonly password_field: string;
  readonly status: number;
}

export interface ResourceModel {
  readonly name: string;
  /** What people call one record. */
  readonly title: string;
  readonly path: string;
  readonly parent?: { readonly resource?: string; readonly field: string };
  readonly fields: Readonly<Record<string, FieldModel>>;
  /** Accepts and stores unknown fields. */
  readonly is_open: boolean;
  /** A single record at its path, not a collection. */
  readonly is_single?: boolean;
  readonly filters: readonly string[];
  readonly search: readonly string[];
  readonly sort: readonly string[];
  readonly list_key: string;
  readonly statuses: {
    readonly create: number;
    readonly change: number;
    readonly remove: number;
    readonly invalid: number;
    readonly bad_id?: number;
  };
  readonly actions?: Readonly<Record<string, { readonly method: string; readonly status: number }>>;
  readonly only?: readonly string[];
  readonly seed?: readonly Readonly<Record<string, unknown>>[];
}

export interface FieldModel {
  readonly type: FieldType;
  readonly label?: string;
  readonly required?: boolean;
  readonly unique?: boolean;
  readonly default?: unknown;
  readonly values?: readonly unknown[];
  readonly of?: FieldModel;
  readonly min?: number;
  readonly max?: number;
  readonly min_length?: number;
  readonly max_length?: number;
  readonly pattern?: string;
}

export const fieldTypes = [
  "string",
  "text",
  "password",
  "integer",
  "number",
  "boolean",
  "date",
  "datetime",
  "email",
  "url",
  "enum",
  "list",
  "object",
  "any",
] as const;

export type FieldType = (typeof fieldTypes)[number];

/** A path with a fixed response, because the document says no more about it. */
export interface FixedRoute {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly body?: unknown;
  readonly text?: string;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}
