#!/usr/bin/env python3
"""Runs every command of the README, of CONTRIBUTING and of the book.

    packaging/test/commands.py [--long] [--list] [PART_OF_A_COMMAND]

Commands are the lines of blocks of code, indented or between backquotes, whose first word is a program of
TOOLS, and commands on ./your-program within the text. Each runs in a scratch folder that looks like the repository, with a scratch home. Placeholders
(`./your-program`) stand for files of the repository, see PLACEHOLDERS. A command that is not run has its reason
in ELSEWHERE; --long also runs those of LONG. Everything else has to succeed. `./x build --examples` must have
made the driver, the tool and the demo programs in target/release.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
TOOLS = r"(sudo|\./x|cargo|pyroclast|target/release/\S+|\./conformance|\./your-program|clinfo|python3|pip|cd|export|" \
    r"packaging/test/\S+|podman|docker|fuzz/run|apt|apt-get)$"

# Files that stand for those of the reader.
PLACEHOLDERS = {
    "./your-program": str(ROOT / "target/release/examples/mandelbrot"),
    "FOLDER": "../../results",
    "A/report.json": "../../results/report.json",
    "B/report.json": "../../results/report.json",
    "DIR": str(ROOT / "tests/demo"),
}

# Why commands are not run here, by a regular expression on the command.
ELSEWHERE = [
    (r"^sudo target/release/pyroclast install|^sudo pyroclast uninstall|^sudo apt install",
     "changes the system; packaging/test/archive.sh and deb.sh run it in a fresh one"),
    (r"^\./x (setup|clang)\b", "installs packages of the system"),
    (r"--target aarch64", "needs libraries of AArch64"),
    (r"^\./conformance cts\b", "needs a build of OpenCL-CTS"),
    (r"^\./x dist --url ADDRESS|^\./x dist --package-version", "a step of a release; packaging/test/deb.sh uses its result"),
    (r"^packaging/test/(deb|archive)\.sh", "needs root and debootstrap"),
    (r"^packaging/test/|^pip install pyopencl target|pyroclast_opencl", "needs the packages of ./x dist"),
]

# Packages of Python that commands need.
IMPORTS = {"python3 first.py": "numpy, pyopencl"}

# Commands of many minutes.
LONG = r"^\./x (test|demo|bench|lint|docs|dist|build|tsan|profiles)\b|^cargo (test|build|run|xtask)\b" \
    r"|^\./conformance (run|random|front-end)\b"


def blocks(text):
    """Lines of blocks of code with their numbers; continued lines are one."""
    fence, lines = False, []
    previous_blank = True
    in_block = False
    for number, line in enumerate(text.split("\n"), 1):
        if re.match(r" *```", line):
            fence = not fence
            continue
        indented = re.match(r" {4,}\S", line) is not None
        in_block = indented and (previous_blank or in_block)
        if fence or in_block:
            lines.append((number, line.strip()))
        previous_blank = not line.strip()
    joined = []
    for number, line in lines:
        if joined and joined[-1][1].endswith("\\"):
            joined[-1] = (joined[-1][0], joined[-1][1][:-1] + line)
        else:
            joined.append((number, line))
    return joined


def commands():
    """(page, line, command) of every command, without its comment."""
    for page in PAGES:
        text = page.read_text()
        spans = [(number, span) for number, line in enumerate(text.split("\n"), 1)
                 for span in re.findall(r"`([^`]*\./your-program)`", line)]
        for number, line in sorted(blocks(text) + spans):
            line = re.sub(r"^\$ ", "", line)
            line = re.sub(r"\s+#.*", "", line)
            words = [w for w in line.split() if not re.match(r"[A-Z_]+=", w)]
            is_output = len(words) > 1 and words[1].endswith(":")
            if words and re.match(TOOLS, words[0]) and not is_output:
                yield page.relative_to(ROOT), number, line


def scratch():
    """A folder that looks like the repository, but where commands may leave files."""
    folder = Path(tempfile.mkdtemp(prefix="commands-"))
    for entry in ROOT.iterdir():
        if entry.name not in (".git", "target"):
            (folder / entry.name).symlink_to(entry)
    (folder / "target").mkdir()
    for entry in (ROOT / "target").iterdir():
        if entry.name != "release":
            (folder / "target" / entry.name).symlink_to(entry)
    (folder / "target/release").mkdir()
    for entry in (ROOT / "target/release").iterdir():
        (folder / "target/release" / entry.name).symlink_to(entry)
    for name in ("k.cl", "kernel.cl"):
        (folder / name).write_text("kernel void k(global int *p) { p[get_global_id(0)] = 1; }\n")
    text = (ROOT / "docs/getting-started.md").read_text()
    (folder / "first.py").write_text(re.search(r"```python\n(.*?)```", text, re.S).group(1))
    (folder / "home").mkdir()
    shutil.copytree(ROOT / "conformance/results/cpu", folder / "results")
    return folder


def main():
    flags = {a for a in sys.argv[1:] if a.startswith("--")}
    part = next((a for a in sys.argv[1:] if not a.startswith("--")), "")
    folder = scratch()
    environment = dict(os.environ)
    environment["PATH"] = f"{ROOT}/target/release:{environment['PATH']}"
    environment["PYROCLAST_CACHE_DIR"] = str(folder / "home/cache")
    environment["OCL_ICD_VENDORS"] = str(folder / "vendors")
    (folder / "vendors").mkdir()
    (folder / "vendors/pyroclast.icd").write_text(f"{ROOT}/target/release/libpyroclast.so\n")
    known, failed, ran, left = {}, [], 0, []
    where = folder
    for page, line, command in commands():
        if command.startswith("cd "):
            where = folder / command[3:]
            continue
        if part not in command:
            continue
        place = f"{page}:{line}"
        reason = next((why for pattern, why in ELSEWHERE if re.search(pattern, command)), None)
        if re.search(LONG, re.sub(r"^(\S+=\S+ )*", "", command)) and "--long" not in flags:
            reason = reason or "takes minutes: --long"
        if command in IMPORTS and not reason:
            test = ["python3", "-c", f"import {IMPORTS[command]}"]
            if subprocess.run(test, env=environment, stderr=subprocess.DEVNULL).returncode != 0:
                reason = f"needs {IMPORTS[command]}"
        if reason or "--list" in flags:
            left.append((place, command, reason or "would run"))
            continue
        key = (where if command.startswith("./conformance") else folder, command)
        if key not in known:
            filled = command
            for name, value in PLACEHOLDERS.items():
                filled = re.sub(rf"(?<!\S){re.escape(name)}(?!\S)", shlex.quote(value), filled)
            start = time.time()
            result = subprocess.run(["sh", "-c", filled], cwd=key[0], env=environment, stdin=subprocess.DEVNULL,
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
            known[key] = result.returncode
            print(f"{'ok' if result.returncode == 0 else 'FAILED':<7}{time.time() - start:6.1f} s  {place}: {command}",
                  flush=True)
            if result.returncode != 0:
                print("\n".join("        " + text for text in result.stdout.strip().split("\n")[-12:]))
                failed.append(command)
            ran += 1
    print("not run:")
    for place, command, reason in left:
        print(f"  {place}: {command}\n      {reason}")
    shutil.rmtree(folder, ignore_errors=True)
    print(f"== {ran} commands ran, {len(failed)} failed, {len(left)} were not run")
    sys.exit(bool(failed))


main()
