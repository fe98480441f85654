import { Chance } from "./chance.js";
import { completeRows, inferColumns, valueOf } from "./columns.js";
import { BadData } from "./table.js";
import { toClass, toNumber, toText } from "./values.js";

/** The rows as a data set: what their columns are, what the label is, and which model can learn it. */
export function readDataset(settings, rows) {
  const { label: name } = settings;
  if (!rows.some((row) => Object.hasOwn(row, name)))
    throw new BadData(`no column is called '${name}', which is to be predicted`);
  const { columns, leftOut } = inferColumns(settings, rows);
  if (columns.length === 0) throw new BadData("there is no column to learn from");
  const labelled = rows.filter((row) => valueOf(row, name) !== null);
  const kept = completeRows(columns, labelled);
  const isRegression = taskOf(settings, kept.map((row) => row[name])) === "regression";
  const complete = kept.map((row) => ({ ...row, [name]: labelValue(isRegression, name, row) }));
  const labels = complete.map((row) => row[name]);
  const classes = isRegression ? [] : orderedClasses(labels, settings.positive);
  if (new Set(labels).size < 2) throw new BadData(`'${name}' has the same value in every row: there is nothing to learn`);
  return {
    settings,
    columns,
    leftOut,
    rows: complete,
    counts: { given: rows.length, without_label: rows.length - labelled.length, dropped: labelled.length - kept.length },
    isRegression,
    classes,
    modelType: chooseModel(settings, isRegression, classes.length),
  };
}

function taskOf({ model }, labels) {
  if (model.task !== null) return model.task;
  const numbers = new Set(labels.map(toNumber));
  return numbers.size > 2 && !numbers.has(undefined) ? "regression" : "classification";
}

function labelValue(isRegression, name, row) {
  if (!isRegression) return toClass(row[name]);
  const number = toNumber(row[name]);
  if (number === undefined) throw new BadData(`'${name}' must be a number, not '${row[name]}'`);
  return number;
}

/** All classes, by name; of two, the positive one comes last. */
function orderedClasses(labels, positive) {
  const classes = [...new Set(labels)].sort((a, b) => (toText(a) < toText(b) ? -1 : 1));
  if (positive !== null && !classes.includes(toClass(positive)))
    throw new BadData(`no row has the positive class ${toText(positive)}`);
  if (classes.length !== 2) return classes;
  const count = (one) => labels.filter((label) => label === one).length;
  const rare = count(classes[0]) < count(classes[1]) ? classes[0] : classes[1];
  const usual = classes.find((one) => /^(?:true|yes|y|1)$/i.test(toText(one)));
  const wanted = positive === null ? (usual ?? rare) : toClass(positive);
  return [...classes.filter((one) => one !== wanted), wanted];
}

function chooseModel({ model }, isRegression, classCount) {
  const fitting = isRegression
    ? ["linear_regression"]
    : [...(classCount === 2 ? ["logistic_regression"] : []), "naive_bayes", "decision_tree"];
  if (model.type === null || fitting.includes(model.type)) return model.type ?? fitting[0];
  const what = isRegression ? "a number" : `${classCount} classes`;
  throw new BadData(`${model.type} cannot predict ${what}; use ${fitting.join(" or ")}`);
}

/** The rows to learn from, and those that the model never sees; each class in its share. */
export function splitRows({ settings, classes, rows }) {
  const { split, label } = settings;
  const chance = new Chance(split.seed);
  const groups = classes.length > 0 ? classes.map((one) => rows.filter((row) => row[label] === one)) : [rows];
  const training = [];
  const testing = [];
  for (const group of groups) {
    const shuffled = chance.shuffle(group);
    const count = Math.min(Math.max(Math.round(group.length * split.test), 1), group.length - 1);
    testing.push(...shuffled.slice(0, count));
    training.push(...shuffled.slice(count));
  }
  if (testing.length === 0) throw new BadData("there are too few rows to measure on some that were not learnt from");
  return { training: chance.shuffle(training), testing };
}
