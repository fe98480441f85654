import { expect, test } from "vitest";
import { explainLoss } from "../../src/app/open-database.ts";
import { BlobError } from "../../src/platform/blobs/index.ts";
import { DatabaseRefusal } from "../../src/platform/database/index.ts";

const refused = Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:9000"), { code: "ECONNREFUSED" });

test("a start that loses its database says so", () => {
  expect(explainLoss(refused)).toBeInstanceOf(DatabaseRefusal);
});

test("a start that does not reach the store of artifacts does not speak of the database", () => {
  const error = new BlobError("store_unavailable", "The bucket 'a' cannot be used.", { cause: refused });
  expect(explainLoss(error)).toBe(error);
});
