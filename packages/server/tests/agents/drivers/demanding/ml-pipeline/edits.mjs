export default {
  "/model/explain": ({ add, after, before, replace }) => {
    add("quayside/explain.py", "tests/test_explain.py");
    before("quayside/cli.py", "from .settings import load_settings\n", "from .explain import explain\n");
    after(
      "quayside/cli.py",
      /^ {12}command\.add_argument\("file", .*\n/m,
      '            command.add_argument("--explain", action="store_true", help="say what each column adds (SHAP)")\n',
    );
    replace(
      "quayside/cli.py",
      "answers.append(trained.predict(row))",
      [
        'is_asked_why = getattr(options, "explain", False)',
        '            why = {"shap": explain(trained, row)} if is_asked_why else {}',
        "            answers.append(trained.predict(row) | why)",
      ].join("\n"),
    );
  },
  "/pipeline/retrain_schedule": ({ add }) => add(".github/workflows/retrain.yml"),
  // A plan that the data does not have.
  "/acceptance/commands/8": ({ add, before, after }) => {
    add("quayside/known_values.py", "tests/test_known_values.py");
    before("quayside/cli.py", "from .settings import load_settings\n", "from .known_values import refuse_unknown\n");
    after("quayside/cli.py", "    trained = pipeline.trained()\n", "    refuse_unknown(pipeline.prepare(), rows)\n");
  },
};
