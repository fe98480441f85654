import {
  anything,
  boolean,
  either,
  integer,
  list,
  map,
  number,
  object,
  oneOf,
  string,
  withDefault,
} from "../schema/shape.ts";

const columnName = (description: string, example: string) => string(description, { minLength: 1, examples: [example] });

const weights = map(
  "How much each column counts. A category has a number for each of its values.",
  either("A weight, or one for each value of a category.", [
    number("The weight of a column.", { examples: [0.16] }),
    map("The weight of each value.", number("The weight of this value."), {
      examples: [{ monthly: 1.2, yearly: -0.8 }],
    }),
  ]),
  { examples: [{ wind_knots: 0.16, crew_change: 1.6 }] },
);

const scale = {
  intercept: number("What is added to the weighted sum; 0 if absent.", { examples: [-5.2] }),
  weights,
};

const feature = object(
  "A column of invented rows, and how its values are drawn.",
  {
    name: columnName("Name of the column.", "wind_knots"),
    type: withDefault(
      oneOf("What its values are.", {
        number: "Numbers.",
        integer: "Whole numbers.",
        boolean: "True or false.",
        category: "One of `values`.",
      }),
      "number",
    ),
    distribution: oneOf("How numbers are drawn; normal if absent.", {
      normal: "Around `mean`, by `stddev`.",
      uniform: "Evenly from `min` to `max`.",
      exponential: "From 0 up, `mean` on average.",
    }),
    mean: number("The mean; 0 if absent, of an exponential distribution 1.", { examples: [14] }),
    stddev: number("The standard deviation; 1 if absent.", { minimum: 0, examples: [6] }),
    min: number("No value is below this.", { examples: [0] }),
    max: number("No value is above this.", { examples: [180] }),
    probability: number("How often a boolean is true; 0.5 if absent.", { minimum: 0, maximum: 1, examples: [0.2] }),
    values: list("The values of a category.", columnName("A value.", "monthly"), { examples: [["monthly", "yearly"]] }),
    shares: list("How often each value comes, compared with the others.", number("A share.", { exclusiveMinimum: 0 }), {
      examples: [[3, 1]],
    }),
  },
  ["name"],
);

const synthetic = object(
  "Invents rows by a written rule. The result then says 'synthetic data' in its name, its README and its report.",
  {
    rows: withDefault(integer("How many.", { minimum: 50, maximum: 10_000, examples: [1500] }), 1000),
    seed: withDefault(
      integer("The same seed gives the same rows.", { minimum: 0, maximum: 4_294_967_295, examples: [20260] }),
      1,
    ),
    features: list("The columns.", feature, {
      examples: [[{ name: "wind_knots", type: "number", mean: 14, stddev: 6, min: 0 }]],
    }),
    rule: object("What the label of a row follows from.", {
      gives: oneOf("What the label is, where there are no `classes`; boolean if absent.", {
        boolean: "True where the weighted sum is above 0.",
        number: "The weighted sum itself.",
      }),
      ...scale,
      noise: withDefault(number("Standard deviation of what is added by chance.", { minimum: 0, examples: [0.4] }), 0),
      classes: map("A sum for each class; the class with the highest wins.", object("One class.", scale), {
        examples: [{ oak: { weights: { height: 1 } }, ash: { intercept: 2 } }],
      }),
    }),
  },
  ["features", "rule"],
);

const column = object("What the builder should know of a column that the data does not say.", {
  type: oneOf("What its values are, instead of what they look like.", {
    number: "Numbers.",
    boolean: "True or false, yes or no.",
    date: "Days such as 2026-11-16.",
    category: "Words; also numbers that are codes.",
  }),
  missing: withDefault(
    oneOf("What to do where a row has no value.", {
      fill: "Take the median of the rows that were learnt from, or a category of its own, and tell the model.",
      drop: "Leave the row out of training and measuring; refuse to predict it.",
      refuse: "Stop: the data must be complete.",
    }),
    "fill",
  ),
});

const data = object(
  "What is learnt from. Give `csv`, `rows` or `file`, or say `synthetic`: no rows are invented otherwise.",
  {
    csv: string("The rows as CSV, with a line of names first.", {
      minLength: 1,
      examples: ["plan,months,churned\nmonthly,3,yes\nyearly,20,no\n"],
    }),
    rows: list("The rows.", map("A row: a value for each column.", anything("A text, number, boolean or null.")), {
      examples: [[{ plan: "monthly", months: 3, churned: true }]],
    }),
    file: string("A CSV or JSON file of the project that you add to its source.", {
      pattern: "^(?!.*(?:^|/)\\.\\.?(?:/|$))[\\w][\\w./-]*\\.(?:csv|tsv|json)$",
      patternErrorMessage: "the path of a .csv, .tsv or .json file inside the project",
      examples: ["data/customers.csv"],
    }),
    synthetic,
    label: columnName("The column to predict.", "churned"),
    positive: either("Of two classes, the one that precision and recall are about. If absent: true, yes or 1.", [
      string("A word.", { examples: ["left"] }),
      number("A number.", { examples: [1] }),
      boolean("True or false.", { examples: [true] }),
    ]),
    ignore: withDefault(
      list("Columns that the model must not see.", columnName("Name of a column.", "customer_id")),
      [],
    ),
    columns: withDefault(
      map("What to know of columns, by name. What is not said is inferred.", column, {
        examples: [{ postcode: { type: "category" }, income: { missing: "drop" } }],
      }),
      {},
    ),
    missing_values: withDefault(
      list("Texts that mean that there is no value.", string("A text.", { examples: ["n/k"] })),
      ["NA", "N/A", "NaN", "null", "None", "?"],
    ),
    row: withDefault(string("What one row is, for the model card.", { examples: ["One customer"] }), "One observation"),
    split: withDefault(
      object("How rows are divided into those to learn from and those to measure on.", {
        test: withDefault(
          number("The share to measure on.", { exclusiveMinimum: 0, maximum: 0.9, examples: [0.25] }),
          0.2,
        ),
        seed: withDefault(
          integer("The same seed gives the same division.", { minimum: 0, maximum: 4_294_967_295, examples: [7] }),
          1,
        ),
      }),
      {},
    ),
  },
  ["label"],
);

const metric = oneOf("The metric by which the model must beat the baseline.", {
  accuracy: "Share of right answers.",
  balanced_accuracy: "Mean of the share found of each class.",
  precision: "Share of right answers among those that say the positive class.",
  recall: "Share found of the positive class.",
  f1: "Harmonic mean of precision and recall.",
  roc_auc: "How often a positive row gets the higher probability than a negative one.",
  log_loss: "How surprised the probabilities are by the truth; smaller is better.",
  r2: "Share of the variance of a number that is explained.",
  mae: "Mean absolute error of a number; smaller is better.",
  rmse: "Root of the mean squared error of a number; smaller is better.",
});

const model = object("What learns, and what it must be better than.", {
  type: oneOf("The kind of model. If absent, the first that fits the label.", {
    logistic_regression: "Two classes, by a weighted sum.",
    naive_bayes: "Two or more classes, by the distribution of each column.",
    decision_tree: "Two or more classes, by questions.",
    linear_regression: "A number, by a weighted sum.",
  }),
  task: oneOf("What the label is. If absent: a number with more than two values is predicted as a number.", {
    classification: "One of some classes.",
    regression: "A number.",
  }),
  class_weight: oneOf("How much rows of a rare class count; none if absent.", {
    none: "As much as others.",
    balanced: "All classes count the same together.",
  }),
  scaling: withDefault(
    oneOf("What is done to columns of numbers.", {
      standard: "Each gets the mean 0 and the deviation 1.",
      none: "Nothing.",
    }),
    "standard",
  ),
  decision_threshold: number(
    "Of two classes, the probability from which the positive one is answered; 0.5 if absent.",
    {
      minimum: 0,
      maximum: 1,
      examples: [0.4],
    },
  ),
  training: withDefault(
    object("How it is trained.", {
      method: oneOf("How a linear regression is solved.", {
        least_squares: "Exactly.",
        gradient_descent: "Step by step.",
      }),
      epochs: integer("How often gradient descent sees all rows.", { minimum: 1, maximum: 5000, examples: [200] }),
      learning_rate: number("How large its steps are.", { exclusiveMinimum: 0, maximum: 10, examples: [0.3] }),
      l2: number("How much large weights are punished.", { minimum: 0, maximum: 100, examples: [0.001] }),
      max_depth: integer("How many questions a tree asks in a row.", { minimum: 1, maximum: 30, examples: [6] }),
      min_rows: integer("Rows that each answer of a tree must have.", { minimum: 1, maximum: 10_000, examples: [5] }),
    }),
    {},
  ),
  baseline: oneOf("What the model must be better than, on rows that neither has seen; most_usual if absent.", {
    most_usual: "Always the most frequent class, or the mean.",
    one_question: "The best single question about one column, to tell classes apart.",
  }),
  metric,
  beats_baseline_by: withDefault(
    number("By how much it must be better; 0 means by anything at all.", { minimum: 0, examples: [0.05] }),
    0,
  ),
  card: withDefault(
    object("What the model card says about use.", {
      intended_use: string("What the model is for.", { examples: ["Choosing whom to call."] }),
      not_for: string("What it must not be used for.", { examples: ["Refusing anyone a contract."] }),
    }),
    {},
  ),
});

const path = (description: string, example: string) =>
  string(description, {
    pattern: "^(?!.*(?:^|/)\\.\\.?(?:/|$))[\\w](?:[\\w./-]*[\\w])?$",
    patternErrorMessage: "the path of a file inside the project",
    examples: [example],
  });

const command = (description: string, example: string) =>
  string(description, {
    pattern: "^[a-z][a-z0-9_-]{0,30}$",
    patternErrorMessage: "a word of small letters, digits, '-' and '_'",
    examples: [example],
  });

const pipeline = object("The program: its name, its commands and its files.", {
  package: string("Name of the Python package. If absent, it follows from `id`.", {
    pattern: "^[a-z][a-z0-9_]{0,59}$",
    patternErrorMessage: "a name of small letters, digits and '_'",
    examples: ["churn"],
  }),
  steps: withDefault(
    object("What the commands are called.", {
      prepare: withDefault(command("Reads the data and says what is in it.", "load"), "prepare"),
      train: withDefault(command("Trains the model.", "fit"), "train"),
      evaluate: withDefault(command("Measures it on rows that it has not seen.", "score"), "evaluate"),
      predict: withDefault(command("Predicts rows.", "infer"), "predict"),
    }),
    {},
  ),
  outputs: withDefault(
    object("Where files are.", {
      data: path("The rows that the document gives or invents. If absent: `data/rows.csv`.", "data/customers.csv"),
      model: withDefault(path("The trained model.", "model/churn.json"), "model/model.json"),
      metrics: withDefault(path("What was measured.", "reports/metrics.json"), "reports/metrics.json"),
      model_card: withDefault(path("What to know before using the model.", "MODEL_CARD.md"), "MODEL_CARD.md"),
    }),
    {},
  ),
});

/** What a document of this type may say beyond the keys of every document. */
export const mlPipeline = object("What an `ml-pipeline` is made from.", {
  data,
  model: withDefault(model, {}),
  pipeline: withDefault(pipeline, {}),
});
