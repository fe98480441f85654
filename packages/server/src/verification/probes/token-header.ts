/** The header that carries a token: `auth.header` of the document, else `authorization`. */
export function tokenHeader(document: object): string {
  const { auth } = document as { readonly auth?: { readonly header?: unknown } | null };
  const named = auth?.header;
  return typeof named === "string" && /^[\w-]{1,100}$/.test(named) ? named.toLowerCase() : "authorization";
}

/** The header with a token in it. */
export function withToken(header: string, token: string): Readonly<Record<string, string>> {
  return { [header]: header === "authorization" ? `Bearer ${token}` : token };
}
