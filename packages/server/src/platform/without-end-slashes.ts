/** An address or a path to which others are added. Looks back, so as not to read a run of slashes again from each of them. */
export function withoutEndSlashes(address: string): string {
  return address.replace(/(?<!\/)\/+$/, "");
}
