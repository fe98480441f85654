/** Pages at an address of their own. */
const singlePages = [
  ...["new", "device", "sessions", "approvals", "applications", "agents", "webhooks", "secrets", "keys", "users"],
  ...["docs", "audit", "installation"],
] as const;

/** Pages about one thing, by its id. */
const pagesOfOne = ["projects", "applications", "webhooks"] as const;

/** What an address means; undefined if there is no such page. */
export type Address =
  | { readonly page: "start" }
  | { readonly page: (typeof singlePages)[number] }
  | { readonly page: (typeof pagesOfOne)[number]; readonly id: string };

export function readAddress(pathname: string): Address | undefined {
  const [, folder = "", name = "", ...rest] = pathname.split("/");
  if (pathname === "/" || pathname === "/projects" || folder === "sign-in") return { page: "start" };
  const of = pagesOfOne.find((page) => page === folder);
  if (of !== undefined && name !== "") return { page: of, id: decoded(name) };
  const page = singlePages.find((one) => one === folder);
  return page === undefined || name !== "" || rest.length > 0 ? undefined : { page };
}

/** An address that somebody cut off in the middle of a character is still one. */
function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
