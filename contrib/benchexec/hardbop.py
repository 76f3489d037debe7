"""BenchExec tool info for hardbop.

From the root of the project, with `hardbop` on the path:

    PYTHONPATH=. benchexec contrib/benchexec/hardbop.xml

A check that finds nothing is `true`, one that finds a violation, a reachable label or a run that
was asked for is `false`. What is unknown, wrong input and internal errors are told apart.
"""

import benchexec.result as result
import benchexec.tools.template


class Tool(benchexec.tools.template.BaseTool2):
    def executable(self, tool_locator):
        return tool_locator.find_executable("hardbop", subdir="target/release")

    def name(self):
        return "hardbop"

    def project_url(self):
        return ""

    def version(self, executable):
        return self._version_from_tool(executable, line_prefix="hardbop")

    def cmdline(self, executable, options, task, rlimits):
        limits = []
        if rlimits.memory and "--memory" not in options:
            # Below the limit of the system, so that the answer is UNKNOWN and not a kill.
            limits = ["--memory", str(rlimits.memory * 9 // 10 // 2**20)]
        inputs = list(task.input_files_or_identifier)
        return [executable, "check", "--trace", "none"] + limits + options + inputs

    def determine_result(self, run):
        if run.was_timeout:
            return result.RESULT_TIMEOUT
        codes = {
            0: result.RESULT_TRUE_PROP,
            1: result.RESULT_FALSE_PROP,
            2: result.RESULT_ERROR + " (bad input)",
            3: result.RESULT_UNKNOWN,
            4: result.RESULT_ERROR + " (internal)",
        }
        code = run.exit_code.value
        if code == 3 and run.output.any_line_contains("--memory"):
            return "OUT OF MEMORY"
        return codes.get(code, result.RESULT_ERROR)
