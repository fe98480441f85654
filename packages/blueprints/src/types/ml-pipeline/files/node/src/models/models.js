import * as decisionTree from "./decision-tree.js";
import * as linearRegression from "./linear-regression.js";
import * as logisticRegression from "./logistic-regression.js";
import * as naiveBayes from "./naive-bayes.js";

/**
 * The models that can be trained. `fit` gives what was learnt, as plain data; `answer` gives a number or, of classes, the
 * probability of each.
 */
export const models = {
  logistic_regression: logisticRegression,
  linear_regression: linearRegression,
  decision_tree: decisionTree,
  naive_bayes: naiveBayes,
};
