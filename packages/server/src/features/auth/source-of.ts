import type { Call } from "../../platform/http/index.ts";
import type { Source } from "./store.ts";

const maxDeviceLength = 200;

/** Where a request comes from, as far as it says so. */
export function sourceOf({ headers, ip }: Pick<Call["request"], "headers" | "ip">): Source {
  const agent = headers["user-agent"]?.replace(/[^\x20-\x7e]/g, "").slice(0, maxDeviceLength);
  return { device: agent || null, address: ip };
}
