import assert from "node:assert/strict";

/** Numbers, or lists of them, that differ at most in their last digits. */
export function assertClose(actual, expected) {
  if (Array.isArray(expected)) {
    assert.equal(actual.length, expected.length);
    for (const [index, value] of expected.entries()) assertClose(actual[index], value);
  } else assert.ok(Math.abs(actual - expected) <= 1e-9 * Math.max(1, Math.abs(expected)), `${actual}, not ${expected}`);
}
