import { anything, boolean, either, list, number, object, string } from "../schema/shape.ts";

const parameter = object(
  "A parameter.",
  {
    name: string("Its name.", { minLength: 1, examples: ["text"] }),
    type: string("Its type: string, number, integer, boolean, a list such as number[], or another.", {
      examples: ["number[]"],
    }),
    description: string("What it is, for the documentation.", { examples: ["The numbers, in any order"] }),
    optional: boolean("Whether callers may leave it out.", { examples: [true] }),
    default: anything("Its value if callers leave it out.", { examples: ["-"] }),
    minimum: number("The smallest number; a RangeError is thrown below it.", { examples: [1] }),
    maximum: number("The largest number; a RangeError is thrown above it.", { examples: [100] }),
  },
  ["name"],
);

const example = object(
  "A call, and what comes of it: every example becomes a test.",
  {
    args: list("What the function is called with.", anything("A value."), { examples: [[[1, 2, 6]]] }),
    returns: anything("What it returns.", { examples: [3] }),
    throws: string("The error that it throws instead.", { examples: ["RangeError"] }),
  },
  ["args"],
);

const libraryFunction = object(
  "A function. It is built by its `result`, by its name if that is known, or by all of its examples.",
  {
    name: string("Its name.", { minLength: 1, examples: ["mean"] }),
    summary: string("What it does, for the documentation.", { examples: ["The mean of the numbers."] }),
    parameters: list("What it takes, in order.", parameter, { examples: [[{ name: "values", type: "number[]" }]] }),
    returns: either("The type of what it returns.", [
      string("A type.", { examples: ["number"] }),
      object("What it returns.", { type: string("A type.", { examples: ["string[]"] }) }),
    ]),
    result: string("What it returns, as an expression over its parameters.", {
      examples: ["sum(values) / count(values)"],
    }),
    throws: list(
      "When it throws.",
      object(
        "An error.",
        {
          error: string("Its name: Error, RangeError or TypeError.", { examples: ["RangeError"] }),
          when: string("An expression over the parameters that is true then.", { examples: ["count(values) == 0"] }),
          message: string("What the error says.", { examples: ["values must not be empty"] }),
        },
        ["error", "when"],
      ),
    ),
    examples: list("Calls with their results. With two or more, how it works may be found from them.", example, {
      examples: [[{ args: [[1, 2, 6]], returns: 3 }]],
    }),
  },
  ["name"],
);

/** What a document of this type may say beyond the keys of every document. */
export const library = object("What a `library` is made from.", {
  api_design: object("The interface of the library.", {
    package: string("The name under which others import it; the document's id if absent.", {
      examples: ["plainwords"],
    }),
    version: string("Its version; 1.0.0 if absent.", { examples: ["1.2.0"] }),
    functions: list("What it exports.", libraryFunction, { examples: [[{ name: "slugify" }]] }),
  }),
});
