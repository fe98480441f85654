/** A cookie of a request; undefined if it brings none of that name. */
export function cookieIn({ cookie = "" }, name) {
  const pairs = cookie.split(";").map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) || undefined;
}

/** A cookie that no script can read, and that no other site sends with a form. */
export function cookie({ name, value, maxAgeSeconds }, headers) {
  const secure = headers["x-forwarded-proto"] === "https" ? "; Secure" : "";
  return `${name}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${maxAgeSeconds}${secure}`;
}
