import type { Expression } from "./read-expression.ts";

/** The model of a service, as written to the files in `model/`; the keys are those of the files. */
export interface ServiceModel {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  readonly auth: AuthModel;
  /** What needs a token or an account: `GET /path`, `/path` or `*`, and the roles that it is for. */
  readonly protects: readonly { readonly rule: string; readonly roles?: readonly string[] }[];
  readonly system: SystemModel;
}

export interface AuthModel {
  readonly scheme: "bearer" | "session";
  readonly token_variable: string;
  readonly header?: string;
  readonly session_hours: number;
  readonly accounts?: AccountsModel;
}

export interface AccountsModel {
  readonly resource: string;
  readonly name_field: string;
  readonly password_field: string;
  readonly role_field?: string;
  readonly roles: readonly string[];
  readonly default_role?: string;
  readonly sign_up?: string;
  readonly login: string;
  readonly logout: string;
  readonly me: string;
}

export interface SystemModel {
  readonly health: readonly string[];
  readonly metrics: string;
  readonly openapi: string;
  readonly docs: string;
  readonly export?: string;
}

export interface ResourceModel {
  readonly name: string;
  /** What people call one record. */
  readonly title: string;
  readonly description?: string;
  readonly path: string;
  /** What it is below, in its path. */
  readonly parent?: { readonly resource: string; readonly field: string; readonly on_delete: OnDelete };
  readonly fields: Readonly<Record<string, FieldModel>>;
  /** A single record at its path, not a collection. */
  readonly is_single?: boolean;
  readonly filters: readonly string[];
  readonly search: readonly string[];
  readonly sort: readonly string[];
  readonly order?: string;
  readonly page_size: number;
  readonly list_key: string;
  readonly methods?: readonly string[];
  readonly rules: readonly RuleModel[];
  readonly access: AccessModel;
  /** The field with the id of the account that made the record. */
  readonly owner?: string;
  readonly actions: Readonly<Record<string, ActionModel>>;
  readonly seed: readonly Readonly<Record<string, unknown>>[];
  /** The name that it had in an earlier version. */
  readonly was?: string;
}

export type OnDelete = "restrict" | "cascade" | "set_null";

/** Who may do what: `anyone`, `signed_in`, `owner`, or roles. Nobody, if empty. */
export interface AccessModel {
  readonly read: readonly string[];
  readonly create: readonly string[];
  readonly change: readonly string[];
  readonly delete: readonly string[];
}

interface ActionModel {
  readonly description?: string;
  readonly sets: Readonly<Record<string, unknown>>;
  readonly when?: Expression;
  readonly access: readonly string[];
}

export interface RuleModel {
  readonly kind: "check" | "required" | "unique" | "no_overlap" | "max_records" | "moves";
  /** The fields that it is about; the first of them is named where it is broken. */
  readonly fields: readonly string[];
  readonly check?: Expression;
  readonly when?: Expression;
  readonly within?: readonly string[];
  readonly max?: number;
  readonly moves?: Readonly<Record<string, readonly string[]>>;
  readonly message: string;
  readonly status: number;
}

export interface FieldModel {
  readonly type: FieldType;
  readonly label?: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly unique?: boolean;
  readonly default?: unknown;
  readonly values?: readonly unknown[];
  readonly of?: FieldModel;
  readonly min?: number | string;
  readonly max?: number | string;
  readonly min_length?: number;
  readonly max_length?: number;
  readonly pattern?: string;
  /** The resource that a reference leads to. */
  readonly to?: string;
  readonly on_delete?: OnDelete;
  readonly was?: string;
  /** Set by the service: the account that made the record. */
  readonly is_owner?: boolean;
  /** Set only by those whose role lets them change the record. */
  readonly is_role?: boolean;
  /** Chosen only by those who may change every record; for the others it has its default. */
  readonly is_reserved?: boolean;
  /** Worked out by the service, whatever is sent. */
  readonly computed?: ComputedModel;
}

/** How a value is worked out: what a reference leads to has it, or the records that refer to this one have its parts. */
type ComputedModel =
  | { readonly copies: { readonly from: string; readonly of: string; readonly field: string } }
  | { readonly sums: SumModel };

interface SumModel {
  readonly of: string;
  readonly by: string;
  readonly quantity: string;
  readonly price: string;
  /** The reference to what has the price, where the parts have none of their own. */
  readonly via?: { readonly from: string; readonly of: string };
}

export type FieldType =
  | "string"
  | "text"
  | "password"
  | "integer"
  | "number"
  | "boolean"
  | "date"
  | "datetime"
  | "time"
  | "email"
  | "url"
  | "enum"
  | "list"
  | "object"
  | "any"
  | "reference";
