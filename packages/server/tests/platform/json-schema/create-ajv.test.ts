import { checkedFormats } from "@slipway/spec";
import { expect, test } from "vitest";
import { createAjv } from "../../../src/platform/json-schema/index.ts";

test("answers are compared with the very formats that documents are not warned of", () => {
  expect(Object.keys(createAjv({}).formats).toSorted()).toEqual(checkedFormats.toSorted());
});
