"""Checks many programs with HyperQueue, and shows the table of a batch.

    python contrib/hyperqueue/check.py FOLDER RESULTS.jsonl [--options "--time 60"] [--server DIR]

Each program is a task of its own: `hardbop check` with a file of results of its own. The results
are put together, and `hardbop check --resume` shows them: it finds every result there and checks
nothing again. What is in RESULTS.jsonl already is not checked again either.

Without --server a server and a worker are started on this machine. On a cluster, start the server
with `hq server start` and workers with `hq alloc add slurm …`, and name the server's folder; the
programs and the folder of the results have to be on a file system that all machines share.

A violation is exit code 1, which HyperQueue takes for a failure. A job cancels everything at its
first failure unless it is told otherwise: hence `max_fails=None` and `raise_on_error=False`.
"""

import argparse
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from hyperqueue import Client, Job, LocalCluster
from hyperqueue.cluster import WorkerConfig
from hyperqueue.ffi.protocol import ResourceRequest


def programs(folder):
    found = (path for path in Path(folder).rglob("*") if path.suffix in (".bp", ".gp"))
    return sorted(str(path) for path in found if path.is_file())


def submit(client, command, files, options, results, parts):
    """One task for each program; each writes a file of results of its own."""
    job = Job(max_fails=None, name="hardbop")
    for number, file in enumerate(files):
        part = parts / f"{number}.jsonl"
        if results.exists():
            # What is known already is not checked again.
            shutil.copy(results, part)
        job.program(
            [command, "check", file, *options, "--out", str(part), "--resume"],
            cwd=os.getcwd(),
            stdout=None,
            stderr=None,
            name=file,
            resources=ResourceRequest(cpus=1),
        )
    client.wait_for_jobs([client.submit(job)], raise_on_error=False)


def join(results, parts):
    """Adds the new lines of all parts; half a line is left out."""
    known = set(results.read_text().splitlines()) if results.exists() else set()
    before = len(known)
    with results.open("a") as out:
        for part in sorted(parts.glob("*.jsonl"), key=lambda path: int(path.stem)):
            for line in part.read_text().splitlines(keepends=True):
                if line.endswith("\n") and line.rstrip("\n") not in known:
                    known.add(line.rstrip("\n"))
                    out.write(line)
    print(f"{len(known) - before} new results", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("results", type=Path)
    parser.add_argument("--options", default="", help="options of hardbop check")
    parser.add_argument("--server", help="the folder of a running HyperQueue server")
    parser.add_argument("--cores", type=int, help="cores of the worker on this machine")
    parser.add_argument("--hardbop", default=shutil.which("hardbop") or "hardbop")
    arguments = parser.parse_args()
    options = shlex.split(arguments.options)
    files = programs(arguments.folder)
    folder = arguments.results.resolve().parent
    with tempfile.TemporaryDirectory(dir=folder, prefix="hardbop-parts-") as parts:
        parts = Path(parts)
        work = (arguments.hardbop, files, options, arguments.results, parts)
        if arguments.server:
            submit(Client(arguments.server), *work)
        else:
            with LocalCluster(worker_config=WorkerConfig(cores=arguments.cores)) as cluster:
                submit(cluster.client(), *work)
        join(arguments.results, parts)
    table = ["check", *files, *options, "--out", str(arguments.results), "--resume"]
    sys.exit(subprocess.run([arguments.hardbop, *table]).returncode)


if __name__ == "__main__":
    main()
