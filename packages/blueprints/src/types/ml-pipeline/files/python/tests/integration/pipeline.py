import contextlib
import io
import json
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from PACKAGE.cli import main, read_json_rows
from PACKAGE.data import generate_rows
from PACKAGE.settings import load_settings
from PACKAGE.steps import Pipeline
from PACKAGE.testing import numeric_label, small_settings, with_model


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
    """The pipeline as it ships, run once from the data to predictions."""

    @classmethod
    def setUpClass(cls):
        cls.settings = load_settings()
        cls.names = {step: name for name, step in cls.settings["steps"].items()}
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = Path(temporary.name)
        cls.evaluated = run(cls.folder, cls.names["evaluate"])

    def test_evaluating_runs_what_comes_before_and_keeps_every_promise(self):
        code, out, err = self.evaluated
        self.assertEqual((code, err), (0, ""))
        report = json.loads((self.folder / self.settings["outputs"]["evaluate"]).read_text(encoding="utf-8"))
        self.assertEqual(report["missed"], [])
        for name in [*self.settings["promises"], *report["metrics"]]:
            self.assertIn(name, out)
        for output in self.settings["outputs"].values():
            self.assertTrue((self.folder / output).exists(), output)

    def test_rows_are_predicted_one_by_one_or_together(self):
        label = self.settings["label"]["name"]
        rows = generate_rows({**self.settings, "rows": 3})
        code, out, _ = run(self.folder, self.names["predict"], stdin=json.dumps(rows))
        self.assertEqual(code, 0)
        self.assertEqual([label in json.loads(line) for line in out.splitlines()], [True] * 3)
        path = self.folder / "rows.json"
        path.write_text(json.dumps(rows[0]), encoding="utf-8")
        code, out, _ = run(self.folder, self.names["predict"], str(path))
        self.assertEqual((code, len(out.splitlines())), (0, 1))

    def test_input_of_no_use_is_refused_with_a_reason(self):
        first = self.settings["features"][0]["name"]
        code, _, err = run(self.folder, self.names["predict"], stdin="{}")
        self.assertEqual(code, 2)
        self.assertIn(first, err)
        for text in ("", "[]", "no json", "[1]"):
            self.assertEqual(run(self.folder, self.names["predict"], stdin=text)[0], 2)
        self.assertEqual(run(self.folder, self.names["predict"], "no-such-file")[0], 2)
        self.assertEqual(run(self.folder, "no-such-step")[0], 2)

    def test_objects_may_stand_one_a_line(self):
        self.assertEqual(read_json_rows('{"a": 1}\n\n{"a": 2}\n'), [{"a": 1}, {"a": 2}])


class SmallPipeline(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def patched(self, settings: dict):
        names = {step: step for step in ("generate", "train", "evaluate", "predict")}
        return mock.patch("PACKAGE.cli.load_settings", lambda: {**settings, "steps": names})

    def test_the_same_seed_gives_the_same_model_to_the_byte(self):
        models = []
        for name in ("one", "two"):
            pipeline = Pipeline(small_settings(), self.folder / name)
            pipeline.train()
            models.append(pipeline.path("train").read_bytes())
        self.assertEqual(models[0], models[1])

    def test_each_step_says_what_it_wrote(self):
        with self.patched(small_settings()):
            self.assertIn("300 rows written to d/rows.csv", run(self.folder, "generate")[1])
            self.assertIn("m/model.json", run(self.folder, "train")[1])

    def test_a_missed_promise_ends_with_an_error(self):
        with self.patched(small_settings(promises={"accuracy": {"min": 1.1}})):
            code, _, err = run(self.folder, "evaluate")
        self.assertEqual(code, 1)
        self.assertIn("accuracy", err)

    def test_numbers_are_predicted_without_a_probability(self):
        with self.patched(with_model(numeric_label(), "linear_regression", method="least_squares")):
            row = {"size": 10.0, "count": 2, "wait": 1.0, "fresh": True, "colour": "red"}
            code, out, _ = run(self.folder, "predict", stdin=json.dumps(row))
        self.assertEqual(code, 0)
        self.assertAlmostEqual(json.loads(out)["price"], 28.0, delta=1.0)
