import ipaddr from "ipaddr.js";
import { metadataNetworks } from "./metadata-networks.ts";

/** Addresses that may be dialled besides public ones. */
export interface AddressRules {
  /** This machine itself. */
  readonly allowsLoopback: boolean;
  /** Networks that the operator allows, as `10.1.0.0/16`. */
  readonly networks: readonly string[];
}

/** Why an address must not be dialled; undefined if it may. */
export function whyNotDialled(text: string, { allowsLoopback, networks }: AddressRules): string | undefined {
  if (!ipaddr.isValid(text)) return `'${text}' is not an IP address`;
  // `::ffff:10.0.0.1` is 10.0.0.1.
  const address = ipaddr.process(text);
  // Not even inside an allowed network.
  if (isMetadata(address)) return "it is a cloud's metadata service";
  const range = rangeOf(address);
  if (range === "unicast") return undefined;
  if (range === "loopback" && allowsLoopback) return undefined;
  if (networks.some((network) => isIn(address, network))) return undefined;
  return `it is not public (${range})`;
}

/** The deprecated IPv4-compatible addresses such as `::10.0.0.1`: nothing public is there. */
const compatible = ipaddr.IPv6.parseCIDR("::/96");

function rangeOf(address: ipaddr.IPv4 | ipaddr.IPv6): string {
  const range = address.range();
  const isCompatible = range === "unicast" && address.kind() === "ipv6" && address.match(compatible);
  return isCompatible ? "ipv4Compatible" : range;
}

/** Whether a cloud offers its metadata there. */
export function isMetadataAddress(text: string): boolean {
  return ipaddr.isValid(text) && isMetadata(ipaddr.process(text));
}

/** Also where the address is wrapped in another one, which a gateway would unwrap. */
function isMetadata(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  const inner = address.kind() === "ipv6" ? wrappedIn(address as ipaddr.IPv6) : [];
  return [address, ...inner].some((one) => metadataNetworks.some((network) => isIn(one, network)));
}

/** `64:ff9b::169.254.169.254` and `::169.254.169.254` end with an IPv4 address; `2002:a9fe:a9fe::` has it behind its prefix. */
function wrappedIn(address: ipaddr.IPv6): ipaddr.IPv4[] {
  const bytes = address.toByteArray();
  const wraps = ["rfc6052", "rfc6145", "ipv4Compatible"].includes(rangeOf(address));
  const isLocal64 = isIn(address, "64:ff9b:1::/48");
  const at = wraps || isLocal64 ? 12 : address.range() === "6to4" ? 2 : undefined;
  return at === undefined ? [] : [new ipaddr.IPv4(bytes.slice(at, at + 4))];
}

function isIn(address: ipaddr.IPv4 | ipaddr.IPv6, network: string): boolean {
  const [start, bits] = ipaddr.parseCIDR(network);
  return start.kind() === address.kind() && address.match(start, bits);
}

/** Whether a host is this machine. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || (ipaddr.isValid(host) && ipaddr.process(host).range() === "loopback");
}
