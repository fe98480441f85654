import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import app
from app.completion import completion_script
from app.load_commands import load_commands
from app.program import PROGRAM
from support.run_program import Result

CODES = PROGRAM["exit_codes"]


class ProgramTest(unittest.TestCase):
    def test_help_names_every_command_and_each_has_its_own(self):
        whole = Result(["--help"])
        self.assertEqual(whole.exit_code, CODES["ok"])
        for name, command in load_commands().items():
            self.assertIn(name, whole.output)
            own = Result([name, "--help"])
            self.assertIn(command.SUMMARY, own.output)
            self.assertEqual(Result(["help", name]).output, own.output)

    def test_the_version_is_printed(self):
        self.assertEqual(Result(["--version"]).output, f"{PROGRAM['version']}\n")

    def test_wrong_usage_is_refused(self):
        if "bare" in CODES:
            bare = Result([])
            self.assertEqual(bare.exit_code, CODES["bare"])
            self.assertIn("Usage:", bare.output + bare.errors)
        if "default_command" not in PROGRAM:
            self.assertIn("no-such-command", Result(["no-such-command"]).errors)
        self.assertEqual(Result(["help", "no-such-command"]).exit_code, CODES["usage"])
        self.assertEqual(Result(["--no-such-option"]).exit_code, CODES["usage"])

    def test_every_shell_gets_a_script(self):
        for shell in ("bash", "zsh", "fish"):
            script = completion_script(shell, load_commands())
            self.assertIn(PROGRAM["name"], script)
            self.assertIn("json", script)

    def test_a_config_file_gives_values_and_is_told_when_it_is_wrong(self):
        commands = load_commands().values()
        name = next(each.NAME for each in commands if each.ARGUMENTS and each.ARGUMENTS[0]["name"] == "shell")
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "config.json")
            env = {PROGRAM["config_variable"]: str(file)}
            file.write_text('{"json": true}', encoding="utf-8")
            self.assertEqual(json.loads(Result([name, "bash"], env).output)["shell"], "bash")
            file.write_text('{"format": "csv"}', encoding="utf-8")
            self.assertTrue(Result([name, "bash"], env).output.startswith("shell,script\nbash,"))
            for wrong in ('{"json": "yes"}', '{"format": "tsv"}', '{"format": true}', "[]", "{"):
                file.write_text(wrong, encoding="utf-8")
                self.assertEqual(Result([name, "bash"], env).exit_code, CODES["failed"])

    def test_the_program_starts_as_a_process(self):
        file = Path(app.__file__).parent.parent / "bin" / PROGRAM["name"]
        done = subprocess.run([sys.executable, str(file), "--version"], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (CODES["ok"], f"{PROGRAM['version']}\n"))


if __name__ == "__main__":
    unittest.main()
