/** For machines, and readable. */
export function toJson(value: object): string {
  return JSON.stringify(value, null, 2);
}
