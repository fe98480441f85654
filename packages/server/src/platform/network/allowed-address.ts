import ipaddr from "ipaddr.js";

/** Addresses that may be dialled besides public ones. */
export interface AddressRules {
  /** This machine itself. */
  readonly allowsLoopback: boolean;
  /** Networks that the operator allows, as `10.1.0.0/16`. */
  readonly networks: readonly string[];
}

/** Metadata services of clouds: never dialled, not even inside an allowed network. */
const metadata = ["169.254.169.254", "168.63.129.16", "fd00:ec2::254", "100.100.100.200"].map((text) =>
  ipaddr.parse(text).toNormalizedString(),
);

/** Why an address must not be dialled; undefined if it may. */
export function whyNotDialled(text: string, { allowsLoopback, networks }: AddressRules): string | undefined {
  if (!ipaddr.isValid(text)) return `'${text}' is not an IP address`;
  // `::ffff:10.0.0.1` is 10.0.0.1.
  const address = ipaddr.process(text);
  if (metadata.includes(address.toNormalizedString())) return "it is a cloud's metadata service";
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

function isIn(address: ipaddr.IPv4 | ipaddr.IPv6, network: string): boolean {
  const [start, bits] = ipaddr.parseCIDR(network);
  return start.kind() === address.kind() && address.match(start, bits);
}

/** Whether a host is this machine. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || (ipaddr.isValid(host) && ipaddr.process(host).range() === "loopback");
}
