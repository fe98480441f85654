import type { Unmet } from "../../plugin.ts";
import type { AccountsModel, AuthModel, FieldModel } from "./model.ts";
import { shapeOf } from "./path-shape.ts";
import type { DraftResource, ServiceDocument } from "./read-data-model.ts";

/** Who may use a service, and the resource of accounts that nobody declared. */
export interface ReadAuth {
  readonly auth: AuthModel;
  readonly drafts: readonly DraftResource[];
  readonly unmet: readonly Unmet[];
}

type Written = NonNullable<ServiceDocument["auth"]>;

/** Reads `auth`. Where it speaks of accounts, one of the resources holds them, or one is added for that. */
export function readAuth(
  { auth: written = {}, base_path: ownBase }: ServiceDocument,
  drafts: readonly DraftResource[],
  { basePath = ownBase ?? "" }: { readonly basePath?: string } = {},
): ReadAuth {
  const unmet: Unmet[] = [];
  const { scheme = "bearer", token_variable: variable = "API_TOKEN", header, session_hours: hours = 12 } = written;
  const base: AuthModel = {
    scheme,
    token_variable: variable,
    ...(header !== undefined && { header }),
    session_hours: hours,
  };
  const { accounts: title, roles, login, sign_up: signUp, default_role: role, logout, me } = written;
  const isAsked = [title, roles, login, signUp, role, logout, me].some((key) => key !== undefined);
  const hasOwners = drafts.some(
    ({ written: { access = {}, owner } }) => owner !== undefined || speaksOf(access, "owner"),
  );
  if (!isAsked && !hasOwners) return { auth: base, drafts, unmet };
  const found = accountsOf(title, drafts, basePath, unmet);
  if (found === undefined) return { auth: base, drafts, unmet };
  const { draft, accounts } = readAccounts(written, found, basePath, unmet);
  const others = drafts.filter(({ name }) => name !== draft.name);
  const position = drafts.findIndex(({ name }) => name === draft.name);
  const all = position === -1 ? [...drafts, draft] : others.toSpliced(position, 0, draft);
  return { auth: { ...base, accounts }, drafts: all, unmet };
}

function speaksOf(access: Readonly<Record<string, string | readonly string[] | undefined>>, word: string): boolean {
  return Object.values(access).some((who) => [who ?? []].flat().includes(word));
}

function accountsOf(
  title: string | undefined,
  drafts: readonly DraftResource[],
  basePath: string,
  unmet: Unmet[],
): DraftResource | undefined {
  if (title !== undefined) {
    const named = drafts.find(({ title: other }) => other === title.replaceAll("_", " "));
    if (named !== undefined) return named;
    unmet.push({ pointer: "/auth/accounts", reason: `There is no '${title}' in 'data_model': accounts need one.` });
    return undefined;
  }
  const holders = drafts.filter(({ fields }) => Object.values(fields).some(({ type }) => type === "password"));
  if (holders[0] !== undefined) return holders[0];
  const name = drafts.some((draft) => draft.name === "account") ? "login_account" : "account";
  const path = `${basePath}/${name === "account" ? "accounts" : "login-accounts"}`;
  const fields: Readonly<Record<string, FieldModel>> = {
    email: { type: "email", required: true, unique: true, max_length: 200 },
    password: { type: "password", required: true, min_length: 8, max_length: 200 },
  };
  return { name, title: "account", written: {}, fields, path, shape: shapeOf(path), pointer: "/auth" };
}

function readAccounts(
  written: Written,
  draft: DraftResource,
  basePath: string,
  unmet: Unmet[],
): { readonly draft: DraftResource; readonly accounts: AccountsModel } {
  const fields = { ...draft.fields };
  const names = Object.keys(fields);
  const uniques = names.filter((name) => fields[name]!.unique === true && fields[name]!.type !== "password");
  const texts = names.filter((name) => ["email", "string"].includes(fields[name]!.type));
  const wanted = written.name_field;
  if (wanted !== undefined && !texts.includes(wanted))
    unmet.push({ pointer: "/auth/name_field", reason: `There is no text field '${wanted}' in '${draft.title}'.` });
  const nameField = texts.find((name) => name === wanted) ?? uniques[0] ?? texts[0] ?? "email";
  // Two accounts of one name would both answer to one password.
  fields[nameField] = { ...(fields[nameField] ?? { type: "email" }), required: true, unique: true };
  const passwordField = names.find((name) => fields[name]!.type === "password") ?? "password";
  fields[passwordField] ??= { type: "password", min_length: 8, max_length: 200 };
  fields[passwordField] = { ...fields[passwordField], required: true };
  const declared = fields["role"];
  const roles = [...(written.roles ?? (declared?.type === "enum" ? declared.values!.map(String) : []))];
  const fallback = written.default_role ?? (typeof declared?.default === "string" ? declared.default : undefined);
  const isKnown = fallback !== undefined && roles.includes(fallback);
  if (fallback !== undefined && !isKnown)
    unmet.push({
      pointer: "/auth/default_role",
      reason: `There is no role '${fallback}': there is ${roles.join(", ") || "none"}.`,
    });
  if (fallback === undefined && roles.length > 0 && written.sign_up !== undefined)
    unmet.push({ pointer: "/auth/roles", reason: "Whoever signs up has no role: say which with 'default_role'." });
  if (roles.length > 0) {
    const { required: _, default: __, ...rest } = declared ?? { type: "enum" as const };
    fields["role"] = { ...rest, type: "enum", values: roles, is_role: true };
  }
  const at = (path: string | undefined, word: string) => path ?? `${basePath}/${word}`;
  return {
    draft: { ...draft, fields },
    accounts: {
      resource: draft.name,
      name_field: nameField,
      password_field: passwordField,
      ...(roles.length > 0 && { role_field: "role" }),
      roles,
      ...(isKnown && { default_role: fallback }),
      ...(written.sign_up !== undefined && { sign_up: written.sign_up }),
      login: at(written.login, "login"),
      logout: at(written.logout, "logout"),
      me: at(written.me, "me"),
    },
  };
}
