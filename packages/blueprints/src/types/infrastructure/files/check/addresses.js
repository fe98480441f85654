/** What is wrong with the addresses of a network and its subnets, each as a sentence and the subnet that it is about. */
export function addressProblems({ cidr, subnets }) {
  const whole = rangeOf(cidr);
  const problems = whole.isAligned ? [] : [{ subnet: null, text: unaligned(cidr, whole) }];
  for (const [index, subnet] of subnets.entries()) {
    const range = rangeOf(subnet.cidr);
    const say = (text) => problems.push({ subnet: subnet.name, text });
    if (!range.isAligned) say(unaligned(subnet.cidr, range));
    else if (range.first < whole.first || range.last > whole.last) say(`${subnet.cidr} is outside of the network's ${cidr}`);
    const other = subnets.slice(0, index).find((earlier) => overlap(rangeOf(earlier.cidr), range));
    if (other !== undefined) say(`${subnet.cidr} overlaps ${other.cidr} of the subnet ${other.name}`);
  }
  return problems;
}

/** The first and the last address of a range such as 10.40.0.0/16, as numbers. */
export function rangeOf(cidr) {
  const [address, bits] = cidr.split("/");
  const start = address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
  const size = 2 ** (32 - Number(bits));
  const first = start - (start % size);
  return { first, last: first + size - 1, size, isAligned: first === start };
}

/** A range of addresses as it is written. */
export function cidrOf(first, bits) {
  const parts = [24, 16, 8, 0].map((shift) => Math.floor(first / 2 ** shift) % 256);
  return `${parts.join(".")}/${bits}`;
}

function unaligned(cidr, { first }) {
  return `${cidr} does not begin where a range of that size can: ${cidrOf(first, cidr.split("/")[1])} does`;
}

function overlap(one, other) {
  return one.first <= other.last && other.first <= one.last;
}
