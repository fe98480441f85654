import { expect, test } from "vitest";
import { encodingsOf } from "../../../src/platform/secrets/encodings.ts";
import { Masker, SecretFinder } from "../../../src/platform/secrets/index.ts";

test.each(["correct-horse_battery", `q"uo'te</&> +%~!*()\\ü€😀`, "two lines\nof a key\r\nand more"])(
  "every encoding of %j is masked in output and found in files",
  async (value) => {
    const masker = new Masker([value]);
    const finder = new SecretFinder([value]);
    for (const text of encodingsOf(value)) {
      expect(masker.mask(`is ${text} here`)).not.toContain(text);
      expect([...(await finder.findIn([Buffer.from(`is ${text} here`)]))]).toEqual([value]);
    }
  },
);
