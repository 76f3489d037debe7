"""Runs hardbop as BenchExec would and looks at the results. `HARDBOP` names the command."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from benchexec import result
from benchexec.tools.template import BaseTool2
from benchexec.util import ProcessExitCode

import hardbop

LOCK = "decl g := %s; void main() begin assert(!g); end\n"


class ToolInfo(unittest.TestCase):
    def setUp(self):
        self.command = os.environ.get("HARDBOP") or shutil.which("hardbop")
        self.tool = hardbop.Tool()

    def result(self, text, options=(), memory=None):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "lock.bp"
            file.write_text(text)
            task = BaseTool2.Task.with_files([str(file)])
            limits = BaseTool2.ResourceLimits(memory=memory)
            words = self.tool.cmdline(self.command, list(options), task, limits)
            done = subprocess.run(words, capture_output=True, text=True)
        output = BaseTool2.RunOutput((done.stdout + done.stderr).splitlines(keepends=True))
        exit_code = ProcessExitCode.create(value=done.returncode)
        run = BaseTool2.Run(words, exit_code, output, None)
        return self.tool.determine_result(run)

    def test_version(self):
        self.assertRegex(self.tool.version(self.command), r"^\d+\.\d+\.\d+$")

    def test_results(self):
        self.assertEqual(self.result(LOCK % 0), result.RESULT_TRUE_PROP)
        self.assertEqual(self.result(LOCK % 1), result.RESULT_FALSE_PROP)
        self.assertEqual(self.result("oops"), "ERROR (bad input)")
        unknown = self.result(LOCK % 0, ["--engine", "explicit", "--states", "1"])
        self.assertEqual(unknown, result.RESULT_UNKNOWN)

    def test_memory_limit(self):
        self.assertEqual(self.result(LOCK % 0, memory=2 * 10**9), result.RESULT_TRUE_PROP)


if __name__ == "__main__":
    unittest.main()
