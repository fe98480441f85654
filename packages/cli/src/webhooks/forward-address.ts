import { UsageError } from "../exit-code.ts";
import { printable } from "../output/printable.ts";

/** Where deliveries are passed on to. Only on this machine: elsewhere, a webhook does that better. */
export function forwardingTo(text: string | undefined): URL | undefined {
  if (text === undefined) return undefined;
  const url = URL.parse(text);
  const isHttp = url?.protocol === "http:" || url?.protocol === "https:";
  // The parser has made one form of all the ways to write such an address.
  const isHere = url !== null && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
  if (url === null || !isHttp || !isHere)
    throw new UsageError(
      `--forward-to takes an address of this machine, such as http://127.0.0.1:3000/hook, not '${printable(text)}'`,
    );
  return url;
}
