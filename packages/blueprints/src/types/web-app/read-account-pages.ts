import type { AccountsModel, ResourceModel } from "../api/model.ts";
import type { PageModel, SiteModel } from "./model.ts";
import { readAccess } from "./read-access-words.ts";
import { readFormFields } from "./read-page-fields.ts";
import { fieldLayout, introOf, type Reading } from "./read-pages.ts";

/** Where people log in and make an account: pages, and their paths. */
export interface AccountPages {
  readonly pages: readonly PageModel[];
  readonly paths?: NonNullable<SiteModel["accounts"]>;
}

/** Reads the pages of accounts; where the document has none they are the usual ones. */
export function readAccountPages(reading: Reading, accounts: AccountsModel | undefined): AccountPages {
  const { keys, texts, unmet } = reading;
  const written = (keys.pages ?? []).map((page, index) => ({ page, pointer: `/pages/${index}` }));
  const login = written.find(({ page }) => page.kind === "login");
  const signUp = written.find(({ page }) => page.kind === "sign_up");
  if (accounts === undefined) {
    for (const { pointer } of [login, signUp].filter((found) => found !== undefined))
      unmet.push({
        pointer,
        reason: "There are no accounts: say under 'auth' which resource or which roles they have.",
      });
    return { pages: [] };
  }
  const loginPage: PageModel = {
    path: login?.page.path ?? pagePath(accounts.login, "/login"),
    kind: "login",
    title: login?.page.title ?? texts.log_in,
    ...(login && introOf(login.page)),
  };
  const resource = reading.resources.find(({ name }) => name === accounts.resource);
  const signUpPage = resource && signUpOf(reading, accounts, resource, signUp);
  return {
    pages: [loginPage, ...(signUpPage === undefined ? [] : [signUpPage])],
    paths: {
      login: loginPage.path,
      logout: pagePath(accounts.logout, "/logout"),
      ...(signUpPage !== undefined && { sign_up: signUpPage.path }),
    },
  };
}

interface Found {
  readonly page: NonNullable<Reading["keys"]["pages"]>[number];
  readonly pointer: string;
}

function signUpOf(
  reading: Reading,
  accounts: AccountsModel,
  resource: ResourceModel,
  found: Found | undefined,
): PageModel | undefined {
  const { texts, unmet } = reading;
  if (accounts.sign_up === undefined) {
    if (found !== undefined)
      unmet.push({
        pointer: found.pointer,
        reason: "Nobody can make an account: say its path with 'sign_up' under 'auth'.",
      });
    return undefined;
  }
  const usual = Object.keys(resource.fields).filter((name) => isAskedAtSignUp(resource, name));
  const wanted = found && readFormFields(reading, found.page.fields, resource, `${found.pointer}/fields`);
  // Nobody chooses a role, and nobody makes an account without a name and a password.
  const chosen = wanted?.filter((name) => resource.fields[name]!.is_role !== true) ?? usual;
  if (wanted !== undefined && chosen.length < wanted.length)
    unmet.push({ pointer: `${found!.pointer}/fields`, reason: "Nobody can choose a role at sign-up." });
  const needed = [accounts.name_field, accounts.password_field].filter((name) => !chosen.includes(name));
  return {
    path: found?.page.path ?? pagePath(accounts.sign_up, "/sign-up"),
    kind: "sign_up",
    title: found?.page.title ?? texts.sign_up,
    ...(found && introOf(found.page)),
    ...(found && readAccess(reading, found.page.access, `${found.pointer}/access`)),
    layout: found === undefined ? "stacked" : fieldLayout(reading, found.page, found.pointer),
    fields: [...chosen, ...needed],
    submit: found?.page.submit ?? texts.sign_up,
  };
}

function isAskedAtSignUp({ fields }: ResourceModel, name: string): boolean {
  const { is_role: isRole, is_owner: isOwner, default: fallback } = fields[name]!;
  return isRole !== true && isOwner !== true && fallback === undefined;
}

/** The page is where the document has the path, unless that is below what paths of the API begin with. */
function pagePath(path: string, usual: string): string {
  return path.startsWith("/api/") ? usual : path;
}
