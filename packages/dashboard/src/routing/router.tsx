import type { JSX } from "preact";
import { useValue, Value } from "../data/value.ts";

const address = new Value(location.pathname + location.search + location.hash);
addEventListener("popstate", () => address.set(location.pathname + location.search + location.hash));

/** The address of the page, which deep links and the back button change. */
export function useAddress(): URL {
  return new URL(useValue(address), location.origin);
}

/** Goes to another address without loading the page again. */
export function navigate(to: string, { replaces = false }: { readonly replaces?: boolean } = {}): void {
  if (replaces) history.replaceState(null, "", to);
  else {
    history.pushState(null, "", to);
    scrollTo(0, 0);
  }
  address.set(to);
}

/** Changes some of the query; what is empty goes. */
export function setQuery(
  values: Readonly<Record<string, string>>,
  options: { readonly replaces?: boolean } = {},
): void {
  const url = new URL(location.href);
  for (const [name, value] of Object.entries(values)) {
    if (value === "") url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  navigate(url.pathname + url.search, options);
}

/** A link inside the dashboard. */
export function Link({ href, ...rest }: JSX.IntrinsicElements["a"] & { readonly href: string }) {
  const follow = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    navigate(href);
  };
  return <a {...rest} href={href} onClick={follow} />;
}
