import contextlib
import io
import json
import shutil
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from PACKAGE.cli import main
from PACKAGE.settings import load_settings
from PACKAGE.steps import Pipeline
from PACKAGE.table import write_csv
from PACKAGE.testing import GOOD_ROW, small_rows, small_settings

ROOT = Path(__file__).resolve()
while not (ROOT / "PACKAGE" / "settings.json").exists():
    ROOT = ROOT.parent


def run(folder: Path, *arguments: str, stdin: str = "") -> tuple[int, str, str]:
    """The exit code and what was printed, by the real command line in a folder of its own."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), mock.patch.object(sys, "stdin", io.StringIO(stdin)):
        try:
            code = main(list(arguments), folder)
        except SystemExit as exit_:
            code = exit_.code
    return code, out.getvalue(), err.getvalue()


class WholePipeline(unittest.TestCase):
    """The pipeline as it ships, on the project's own data, from the rows to predictions."""

    @classmethod
    def setUpClass(cls):
        cls.settings = load_settings()
        cls.names = cls.settings["steps"]
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = Path(temporary.name)
        if cls.settings["data"] is not None and (ROOT / cls.settings["data"]).exists():
            (cls.folder / cls.settings["data"]).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / cls.settings["data"], cls.folder / cls.settings["data"])
        cls.evaluated = run(cls.folder, cls.names["evaluate"])

    def test_the_model_beats_the_baseline_on_rows_it_has_not_seen(self):
        code, out, err = self.evaluated
        self.assertEqual((code, err), (0, ""))
        report = json.loads((self.folder / self.settings["outputs"]["metrics"]).read_text(encoding="utf-8"))
        self.assertGreater(report["beats_baseline_by"], 0)
        self.assertEqual(report["missed"], [])
        for name in report["metrics"]:
            self.assertIn(name, out)
        for output in self.settings["outputs"].values():
            self.assertTrue((self.folder / output).exists(), output)

    def test_every_row_of_the_data_can_be_predicted(self):
        dataset = Pipeline(self.settings, self.folder).prepare()
        rows = [{name: value for name, value in row.items() if name != self.settings["label"]} for row in dataset.rows]
        code, out, err = run(self.folder, self.names["predict"], stdin=json.dumps(rows))
        self.assertEqual((code, err), (0, ""))
        answers = [json.loads(line)[self.settings["label"]] for line in out.splitlines()]
        self.assertEqual(len(answers), len(rows))
        if dataset.classes:
            self.assertTrue(all(answer in dataset.classes for answer in answers))

    def test_preparing_says_what_is_in_the_data(self):
        code, out, _ = run(self.folder, self.names["prepare"])
        self.assertEqual(code, 0)
        self.assertIn(f"{self.settings['label']}: to be predicted", out)


class SmallPipeline(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        (self.folder / "rows.csv").write_text(write_csv(small_rows()), encoding="utf-8")
        self.use(small_settings())

    def use(self, settings: dict):
        patched = mock.patch("PACKAGE.cli.load_settings", lambda: settings)
        patched.start()
        self.addCleanup(patched.stop)

    def test_the_same_seed_gives_the_same_model_to_the_byte(self):
        models = []
        for _ in range(2):
            pipeline = Pipeline(small_settings(), self.folder)
            pipeline.train()
            models.append(pipeline.path("model").read_bytes())
        self.assertEqual(models[0], models[1])

    def test_other_data_trains_the_model_again(self):
        pipeline = Pipeline(small_settings(), self.folder)
        before = pipeline.trained().about["trained_on"]
        self.assertEqual(pipeline.trained().about["trained_on"], before)
        (self.folder / "rows.csv").write_text(write_csv(small_rows(100)), encoding="utf-8")
        self.assertNotEqual(pipeline.trained().about["trained_on"], before)

    def test_each_step_says_what_it_did(self):
        self.assertIn("size: number, 20 missing", run(self.folder, "prepare")[1])
        self.assertIn("logistic_regression written to m/model.json", run(self.folder, "train")[1])

    def test_limits_on_the_command_line_are_kept_or_the_run_fails(self):
        self.assertEqual(run(self.folder, "evaluate", "--min", "accuracy=0.5", "--max", "log_loss=5")[0], 0)
        code, _, err = run(self.folder, "evaluate", "--min", "accuracy=1.1")
        self.assertEqual(code, 1)
        self.assertRegex(err, r"missed: accuracy is 0\.\d{4} and must be at least 1.1")
        self.assertEqual(run(self.folder, "evaluate", "--min", "beauty=1")[0], 2)
        self.assertEqual(run(self.folder, "evaluate", "--min", "accuracy")[0], 2)

    def test_rows_are_predicted_from_json_and_csv_with_values_missing_as_in_training(self):
        text = json.dumps({**GOOD_ROW, "colour": None})
        code, out, _ = run(self.folder, "predict", stdin=text)
        self.assertEqual((code, json.loads(out)["good"]), (0, True))
        path = self.folder / "new.csv"
        path.write_text(write_csv([GOOD_ROW, GOOD_ROW]), encoding="utf-8")
        code, out, _ = run(self.folder, "predict", str(path))
        self.assertEqual((code, len(out.splitlines())), (0, 2))

    def test_input_of_no_use_is_refused_with_a_reason(self):
        code, _, err = run(self.folder, "predict", stdin='{"size": 3}')
        self.assertEqual(code, 2)
        self.assertIn("'count' is missing", err)
        unseen = run(self.folder, "predict", stdin=json.dumps([GOOD_ROW, {**GOOD_ROW, "colour": "mauve"}]))
        known = "which no row of the data has; it has blue, green, red"
        self.assertEqual(unseen, (2, "", f"cannot predict: row 2: 'colour' is 'mauve', {known}\n"))
        for text in ("", "[]", "no json", "[1]"):
            self.assertEqual(run(self.folder, "predict", stdin=text)[0], 2)
        self.assertEqual(run(self.folder, "predict", "no-such-file")[0], 2)
        self.assertEqual(run(self.folder, "no-such-step")[0], 2)

    def test_data_that_is_missing_is_asked_for(self):
        (self.folder / "rows.csv").unlink()
        code, _, err = run(self.folder, "train")
        self.assertEqual(code, 2)
        self.assertIn("rows.csv is not there", err)
        self.use(small_settings(changes={"data": None}))
        self.assertIn("there is no data", run(self.folder, "train")[2])

    def test_synthetic_data_is_called_so_in_the_first_line(self):
        self.use(small_settings(changes={"data_kind": "synthetic"}))
        self.assertTrue(run(self.folder, "evaluate")[1].startswith("synthetic data"))
