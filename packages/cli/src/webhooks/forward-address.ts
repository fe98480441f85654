import { UsageError } from "../exit-code.ts";
import { printable } from "../output/printable.ts";

/** The address to forward deliveries to. Only on this machine: for other receivers, register a webhook. */
export function forwardAddress(text: string | undefined): URL | undefined {
  if (text === undefined) return undefined;
  const url = URL.parse(text);
  const isHttp = url?.protocol === "http:" || url?.protocol === "https:";
  // The URL parser normalizes all spellings of such an address.
  const isLocal = url !== null && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
  if (url === null || !isHttp || !isLocal)
    throw new UsageError(
      `--forward-to must be an address on this machine such as http://127.0.0.1:3000/hook, not '${printable(text)}'`,
    );
  return url;
}
