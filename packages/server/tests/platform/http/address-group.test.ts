import fc from "fast-check";
import { expect, test } from "vitest";
import { addressGroup } from "../../../src/platform/http/address-group.ts";

test.for([
  ["203.0.113.7", "203.0.113.7"],
  ["::ffff:203.0.113.7", "203.0.113.7"],
  ["::FFFF:cb00:7107", "203.0.113.7"],
  ["0:0:0:0:0:ffff:203.0.113.7", "203.0.113.7"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:DB8:1:2::", "2001:db8:1:2::/64"],
  ["2001:db8::1", "2001:db8:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
  ["::", "0:0:0:0::/64"],
  ["1::", "1:0:0:0::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ["64:ff9b::203.0.113.7", "64:ff9b:0:0::/64"],
  ["", ""],
  ["unknown", "unknown"],
] as const)("%s counts as %s", ([address, group]) => {
  expect(addressGroup(address)).toBe(group);
});

test("all addresses of a /64 count as one, however they are written, and those of another as another", () => {
  const word = fc.integer({ min: 0x2000, max: 0x3fff });
  const words = (length: number) => fc.array(word, { minLength: length, maxLength: length });
  const write = (parts: readonly number[]) => parts.map((part) => part.toString(16)).join(":");
  fc.assert(
    fc.property(words(4), words(4), (network, host) => {
      const group = addressGroup(`${write(network)}::1`);
      expect(addressGroup(write([...network, ...host]).toUpperCase())).toBe(group);
      expect(addressGroup(write([...network.slice(0, 3), network[3]! ^ 1, ...host]))).not.toBe(group);
    }),
  );
});
