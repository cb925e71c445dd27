"""The command line in wrong use: by mistake, or by a script that nobody looks at."""

from __future__ import annotations

import os
import re
import resource
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from click.testing import CliRunner

import llrcal
from llrcal.cli.verbs import command_line
from tests.hostile.case import Answered, Case, Ended, Section
from tests.hostile.files import KEY, LABELLED, SCORES, put

TAR, NON = [1.5, 3.5, 0.5], [-2.5, 0.25, 1.0]
# Enough trials for ranks to tell which way the scores run.
CLEAR = "".join(f"m t{i} {i}.5 {'target' if i > 5 else 'nontarget'}\n" for i in range(12))
GIVEN = {
    "labelled.txt": LABELLED,
    "clear.txt": CLEAR,
    "scores.txt": SCORES,
    "key.txt": KEY,
    "empty.txt": "",
    "folder/labelled.txt": LABELLED,
}
MANY_COLUMNS = 5000


@dataclass(frozen=True)
class Ran:
    """What a command in a process of its own has come to."""

    exit_code: int
    stdout: str
    stderr: str
    exception: BaseException

    @property
    def output(self) -> str:
        return self.stdout + self.stderr


def set_out() -> None:
    """Make the files that commands are given."""
    Path("folder").mkdir()
    for name, content in GIVEN.items():
        put(name, content)
    llrcal.fit(TAR, NON, method="pav").save("model.json")
    frame = pl.DataFrame({"score": [1.5, np.nan, -1.0], "label": ["target", "target", "nontarget"]})
    frame.write_parquet("nan.parquet")


def files() -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in Path().rglob("*") if path.is_file()}


def left_as_it_was(run: Callable[[], Any]) -> Any:
    """Run something among these files, and see to it that none is changed, added or lost."""
    set_out()
    before = files()
    result = run()
    assert files() == before
    return result


def command(line: str, stdin: str = "") -> Any:
    def run() -> Any:
        return CliRunner().invoke(command_line, line.split(), input=stdin, prog_name="llrcal")

    return lambda: left_as_it_was(run)


def in_a_process(line: str, **options: Any) -> Any:
    def run() -> Ran:
        words = [sys.executable, "-m", "llrcal", *line.split()]
        ran = subprocess.run(words, text=True, check=False, stderr=subprocess.PIPE, **options)
        return Ran(ran.returncode, ran.stdout or "", ran.stderr, SystemExit(ran.returncode))

    return lambda: left_as_it_was(run)


def nobody_reads(line: str) -> Any:
    """Standard output is a pipe whose reader has gone."""

    def run() -> Any:
        reading, writing = os.pipe()
        os.close(reading)
        try:
            return in_a_process(line, stdout=writing)()
        finally:
            os.close(writing)

    return run


def no_room(line: str) -> Any:
    """Standard output is a file that the system does not let grow."""

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

    def run() -> Any:
        with Path("../output").open("wb") as file:
            return in_a_process(line, stdout=file, preexec_fn=limited)()

    return run


def little_memory(line: str) -> Any:
    """Arrays of 2^37 bytes, none of which is on disk, and half as much address space."""

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (2**36, 2**36))

    def run() -> Any:
        for name in ("tar.npy", "non.npy"):
            with Path("..", name).open("wb") as file:
                facts = {"descr": "<f8", "fortran_order": False, "shape": (2**34,)}
                np.lib.format.write_array_header_1_0(file, facts)
                file.truncate(file.tell() + 2**37)
        return in_a_process(line, preexec_fn=limited)()

    return run


def closed(line: str, descriptor: str) -> Any:
    """Standard input or output is closed, as some schedulers of jobs leave it."""

    def run() -> Ran:
        words = f"exec '{sys.executable}' -m llrcal {line} {descriptor}&-"
        ran = subprocess.run(["/bin/sh", "-c", words], capture_output=True, text=True, check=False)
        return Ran(ran.returncode, ran.stdout, ran.stderr, SystemExit(ran.returncode))

    return lambda: left_as_it_was(run)


def odd_name(name: str) -> Any:
    def run() -> Any:
        put(name, CLEAR)
        words = ["fit", name, "--method", "pav", "-o", "m.json"]
        return CliRunner().invoke(command_line, words, color=True)

    return run


def check_named(shown: str) -> Any:
    def check(result: Any) -> None:
        assert result.exit_code == 0, result.output
        assert result.stderr.startswith(f"{shown}: 12 trials")

    return check


ODD = "\x1b]0;owned\x07\x1b[2J\u202e\u2066a\nb\rc\x9b[0m"  # title, bell, clear, reverse, lines


def odd_names_in_data(line: str) -> Any:
    """A command on a table of which a column and a condition are called by what moves a cursor."""

    def run() -> Any:
        rows = [(i % 3, i % 7 + i % 5, i % 5 > 2, f"{ODD}{i % 2}") for i in range(60)]
        frame = pl.DataFrame(rows, [ODD, "score", "label", "where"], orient="row")
        frame.write_parquet("odd.parquet")
        words = [word.replace("ODD", ODD) for word in line.split()]
        return CliRunner().invoke(command_line, words, color=True)

    return run


def check_visible(result: Any) -> None:
    """What is printed has no control character, but the ends of lines and the colours of tables."""
    assert result.exit_code == 0, result.output
    assert "\\x1b]0;owned\\x07\\x1b[2J\\u202e\\u2066a\\nb\\rc\\x9b[0m" in result.stdout
    plain = re.sub(r"\x1b\[[\d;]*m", "", result.output).replace("\n", "")
    assert plain.isprintable(), [char for char in plain if not char.isprintable()]


def wrong(
    line: str, words: str, where: str, do: str = "", sentence: str = "Refused.", *, aside: str = ""
) -> Case:
    """A command that ends with an error, and leaves every file as it was."""
    return Case(f"`llrcal {line}`{aside}", command(line), Ended(words, where, do), sentence)


def check_quiet_end(ran: Ran) -> None:
    assert ran.exit_code == 141  # as if by SIGPIPE
    assert ran.stderr == ""


def check_without_nan(result: Any) -> None:
    assert result.exit_code == 0
    assert result.stdout == "score,label\n1.5,target\n-1.0,nontarget\n"
    assert "1 of 3 trials left out because their score is NaN" in result.stderr


def many_columns() -> Any:
    set_out()
    names = ["score", *(f"c{i}" for i in range(MANY_COLUMNS - 1))]
    row = ["0.5", *("7" for _ in names[1:])]
    put("wide.csv", ",".join(names) + "\n" + (",".join(row) + "\n") * 3)
    words = ["apply", "model.json", "wide.csv", "-o", "-", "--quiet"]
    return CliRunner().invoke(command_line, words)


def check_many_columns(result: Any) -> None:
    assert result.exit_code == 0, result.output
    llr = float(llrcal.fit(TAR, NON, method="pav")(0.5))
    _, *rows = result.stdout.splitlines()
    assert rows == [",".join([repr(llr), *("7" * (MANY_COLUMNS - 1))])] * 3


REFUSED = "Refused before anything is done."
WRITTEN_AND_READ = "Refused, and the file named: it would be lost."
BURIED = "Refused, and the file named: it would be deleted with the folder."
CASES = (
    wrong("calibrate", "No such command", "'calibrate'"),
    wrong("fit labelled.txt", "Missing option", "'--out'"),
    wrong("fit none.txt -o m.json", "cannot be read: No such file", "none.txt"),
    wrong("fit none*.txt -o m.json", "there is no such file", "none*.txt"),
    wrong("fit empty.txt -o m.json", "holds no trials", "empty.txt"),
    wrong(
        "fit - -o m.json",
        "holds no trials",
        "standard input",
        aside=", with nothing on standard input",
    ),
    wrong(
        "fit - --key - -o m.json",
        "can be read only once",
        "standard input (-)",
        "name a file",
        "Refused: the second reader would find it empty.",
    ),
    wrong(
        "compare --train - --test scores.txt --test-key - --out new",
        "can be read only once",
        "standard input (-)",
        "name a file",
    ),
    wrong(
        "compare --data scores.txt --data-key key.txt --data-key labelled.txt --out new",
        "is given twice",
        "--data-key",
        "give it once",
        "Refused: one of the two files would be ignored.",
    ),
    wrong(
        "fit scores.txt --key key.txt --key labelled.txt -o m.json",
        "is given twice",
        "--key",
        "give it once",
    ),
    wrong(
        "fit labelled.txt -o m.json --rising --no-rising",
        "is given twice",
        "--rising/--no-rising",
        "give it once",
    ),
    wrong(
        "fit labelled.txt -o m.json --method platt",
        "'platt' is not one of",
        "--method",
        "'linear-gaussian', 'logistic'",
        "Refused, with the names that there are.",
    ),
    wrong(
        "fit labelled.txt -o m.json --method logistic --alpha nan",
        "alpha is nan",
        "alpha",
        "strictly between 0 and 1",
        "Refused; no model is written.",
    ),
    wrong(
        "fit labelled.txt -o m.json --method pav --alpha 0.5",
        "has no option 'alpha'",
        "method pav",
        sentence="Refused, not ignored.",
    ),
    wrong(
        "fit labelled.txt -o m.json --method logistic --rule 1,2",
        "rule is '1,2'",
        "rule",
        "give one of log, brier",
        "Refused; no model is written.",
    ),
    *(
        wrong(
            line,
            f"is {value!r}",
            option,
            "give names, each once, with commas" if value else "give a value",
            REFUSED,
        )
        for line, option, value in (
            ("fuse labelled.txt --scores cos,cos -o m.json", "--scores", "cos,cos"),
            ("fuse labelled.txt --scores cos, -o m.json", "--scores", "cos,"),
            ("fuse labelled.txt --scores= -o m.json", "--scores", ""),
            ("fuse labelled.txt --quality= -o m.json", "--quality", ""),
            ("evaluate labelled.txt --by=", "--by", ""),
        )
    ),
    wrong(
        "evaluate labelled.txt --rule quadratic",
        "rule is 'quadratic'",
        "rule",
        "give one of log, brier",
        "Refused before anything is read.",
    ),
    wrong(
        "fit labelled.txt -o none/m.json",
        "none is not a folder",
        "none/m.json",
        sentence=REFUSED,
    ),
    wrong("fit labelled.txt -o folder", "is a folder", "folder", "name a file in it", REFUSED),
    wrong("fit labelled.txt -o -", "only be written to a plain file", "-:", "name one", REFUSED),
    wrong(
        "fit scores.txt -o m.json",
        "scores but no labels",
        "scores.txt",
        "give a key: --key FILE",
        "Refused, with the remedy.",
    ),
    wrong(
        "fit nan.parquet -o m.json",
        "1 scores that are not finite",
        "nan in row 1",
        "--on-nan drop",
        "Refused, with the remedy.",
    ),
    wrong(
        "fit labelled.txt -o labelled.txt",
        "is also an input",
        "labelled.txt",
        "name another file",
        WRITTEN_AND_READ,
    ),
    wrong(
        "apply model.json scores.txt -o ./folder/../scores.txt",
        "is also an input (scores.txt)",
        "./folder/../scores.txt",
        "name another file",
        "Refused, by whatever name: to calibrate twice is a mistake that nothing shows.",
    ),
    wrong(
        "apply model.json scores.txt -o model.json",
        "is also an input",
        "model.json",
        "name another file",
        WRITTEN_AND_READ,
    ),
    wrong(
        "apply model.json scores.txt --quality key.txt -o key.txt",
        "is also an input",
        "key.txt",
        "name another file",
        WRITTEN_AND_READ,
    ),
    wrong(
        "fit folder -o folder/labelled.txt",
        "is also an input (folder)",
        "folder/labelled.txt",
        "name another file",
        WRITTEN_AND_READ,
    ),
    wrong(
        "convert labelled.txt --to kaldi -o new.txt --key-out labelled.txt",
        "is also an input",
        "labelled.txt",
        "name another file",
        WRITTEN_AND_READ,
    ),
    wrong(
        "compare --train folder/labelled.txt --test labelled.txt --out folder --force",
        "folder contains the input folder/labelled.txt",
        "folder/labelled.txt",
        "choose another folder",
        BURIED,
    ),
    wrong(
        "evaluate folder/labelled.txt --figures folder --force",
        "folder contains the input folder/labelled.txt",
        "folder/labelled.txt",
        "choose another folder",
        BURIED,
    ),
    wrong(
        "evaluate labelled.txt --figures . --force",
        ". contains the input labelled.txt",
        "labelled.txt",
        "choose another folder",
        BURIED,
    ),
    wrong(
        "apply none.json scores.txt -o new.txt",
        "cannot be read: No such file",
        "none.json",
    ),
    wrong(
        "apply model.json a,b,c.txt -o new.txt",
        "cannot be read: No such file",
        "a,b,c.txt",
    ),
    wrong(
        "apply scores.txt scores.txt -o new.txt",
        "not a JSON document",
        "scores.txt",
    ),
    wrong(
        "apply model.json key.txt -o new.txt",
        "labels but no scores",
        "key.txt",
        "this is a key",
    ),
    wrong(
        "apply model.json scores.txt -o none/new.txt",
        "none is not a folder",
        "none/new.txt",
    ),
    wrong(
        "fit scores.txt --key key.txt --nontargets key.txt -o new.json",
        "need none",
        "a key has the labels of all trials",
        "give either --key or --nontargets",
    ),
    wrong(
        "apply model.json scores.txt -o new.txt --decision",
        "needs a prior",
        "a decision",
        "give --p-target",
        REFUSED,
    ),
    wrong(
        "apply model.json scores.txt -o new.txt --p-target 0.5",
        "does not change LLRs",
        "a prior",
        "give --decision or --posterior",
        "Refused, not ignored.",
    ),
    wrong(
        "evaluate labelled.txt --p-target 1/2",
        "'1/2' is not a valid float",
        "--p-target",
    ),
    wrong(
        "evaluate labelled.txt --p-target 0.5 --c-miss 1 --c-miss 2",
        "is given 2 times for 1 prior",
        "--c-miss",
        "give one for each --p-target",
    ),
    wrong(
        "evaluate labelled.txt --p-target 0.01 --c-miss 10 --p-target 0.05",
        "is given once for 2 priors",
        "--c-miss",
        "give one for each --p-target",
    ),
    wrong(
        "evaluate labelled.txt --c-miss 10",
        "costs need a prior",
        "costs",
        "give --p-target",
    ),
    wrong(
        "evaluate labelled.txt --preset sre99",
        "'sre99' is not one of",
        "'--preset'",
        "'sre08', 'sre10'",
    ),
    wrong(
        "evaluate labelled.txt --units ratio",
        "cannot be negative",
        "likelihood-ratio",
        "are these logarithms?",
    ),
    wrong(
        "evaluate labelled.txt --figures folder",
        "exists already",
        "folder",
        "choose another folder",
        "Refused; nothing is replaced unasked.",
    ),
    wrong(
        "evaluate clear.txt --distance",
        "targets have larger distances",
        "clear.txt",
        "--inverted",
    ),
    wrong(
        "decide --model model.json --p-target 0",
        "p_target is 0.0",
        "p_target",
        "strictly between 0 and 1",
    ),
    wrong(
        "decide --model model.json --p-target 0.5 --score nan",
        "are NaN",
        "at index 0",
    ),
    wrong(
        "decide --model model.json --p-target 0.5 --c-fa inf",
        "c_fa is inf",
        "c_fa",
        "positive and finite",
    ),
    wrong(
        "weigh model.json nan",
        "are NaN",
        "at index 0",
    ),
    wrong(
        "weigh model.json 1.5 --level 95",
        "level is 95.0",
        "level",
        "strictly between 0 and 1",
    ),
    wrong(
        "weigh labelled.txt 1.5",
        "is not a JSON document",
        "labelled.txt",
    ),
    wrong(
        "evaluate model.json",
        "is a model of llrcal, not a file of scores",
        "model.json",
    ),
    wrong(
        "apply model.json labelled.txt -o - --json",
        "would both write to standard output",
        "-o - and --json",
        "name a file, or leave out --json",
    ),
    wrong(
        "decide labelled.txt --fmr 0",
        "is 0.0",
        "--fmr",
        "give a rate strictly between 0 and 1",
    ),
    wrong(
        "convert labelled.txt -o new.xyz",
        "the extension does not tell the format",
        "new.xyz",
        "--to FORMAT",
    ),
    wrong(
        "convert labelled.txt -o new.txt --to htk",
        "there is no format",
        "'htk'",
        "choose one of",
    ),
    wrong(
        "convert labelled.txt -o new.csv --key-out ./new.csv",
        "cannot be both",
        "new.csv",
    ),
    wrong(
        "convert labelled.txt -o - --to hdf5",
        "only be written to a plain file",
        "-:",
        "name one",
    ),
    wrong(
        "convert scores.txt -o new.npz",
        "format npz needs score,label",
        "scores.txt",
        sentence="Refused; no file is written.",
    ),
    wrong(
        "compare --train labelled.txt --test ./labelled.txt --out new",
        "have the ids of a training trial",
        "labelled.txt",
        "Give other trials",
    ),
    wrong(
        "compare --data labelled.txt --test folder/labelled.txt --out new",
        "one set of trials",
        "--test is given as well",
        "give either --data, or --train and --test",
    ),
    wrong(
        "compare --train labelled.txt --test folder/labelled.txt --folds 5 --out new",
        "--folds is for one set of trials",
        "--folds",
        "leave --folds out",
    ),
    wrong(
        "compare --train labelled.txt --out new",
        "--test is missing",
        "--test",
        "or one set of trials as --data",
    ),
    wrong(
        "compare --data labelled.txt --folds 500 --out new --quiet",
        "500 folds by trial are too many",
        "labelled.txt",
    ),
    wrong(
        "compare --data folder/labelled.txt --out folder --force",
        "folder contains the input folder/labelled.txt",
        "folder/labelled.txt",
        "choose another folder",
        BURIED,
    ),
    wrong(
        "compare --train labelled.txt --test folder/labelled.txt --out new --replicates -1",
        "-1 is not in the range",
        "--replicates",
    ),
    wrong(
        "compare --train labelled.txt --test none.txt --out new --quiet",
        "cannot be read: No such file",
        "none.txt",
        sentence="Refused; no folder is left.",
    ),
    wrong(
        "simulate --out none/new",
        "none is not a folder",
        "none/new",
        sentence=REFUSED,
    ),
    wrong(
        "demo --out folder",
        "exists already",
        "folder",
        "choose another folder",
        REFUSED,
    ),
    wrong("completion tcsh", "'tcsh' is not one of", "'bash'"),
    Case(
        "`llrcal convert ... --on-nan drop`, with a NaN among the scores",
        command("convert nan.parquet -o - --to csv --on-nan drop"),
        Answered(check_without_nan),
        "The other trials, and how many were left out.",
    ),
    Case(
        "`llrcal apply` to a table of five thousand columns",
        many_columns,
        Answered(check_many_columns),
        "The score is replaced, and the other columns stay.",
        "polars: the regular expression is too large",
    ),
    wrong(
        "fit /dev/zero -o m.json",
        "the first line is longer than 4194304 bytes",
        "/dev/zero",
        sentence="Refused after four megabytes: there is no end to it.",
    ),
    Case(
        "`llrcal fit -`, with standard input closed",
        closed("fit - -o m.json", "<"),
        Ended("is closed", "standard input", "name a file"),
        "Refused.",
    ),
    Case(
        "`llrcal apply ... -o -`, with standard output closed",
        closed("apply model.json scores.txt -o -", ">"),
        Ended("is closed", "standard output", "name a file"),
        REFUSED,
    ),
    Case(
        "a file whose name is not UTF-8",
        odd_name("caf\udce9.txt"),
        Answered(check_named("caf\\xe9.txt")),
        "Read, and named with the byte.",
        "polars: TypeError",
    ),
    Case(
        "a file whose name changes colours and reverses the text of a terminal",
        odd_name("a\x1b[31m\u202etxt.exe"),
        Answered(check_named("a\\x1b[31m\\u202etxt.exe")),
        "Read, and named with visible characters only.",
        "most programs: printed as it is",
    ),
    Case(
        "`llrcal evaluate --by` where conditions and their column clear the screen",
        odd_names_in_data("evaluate odd.parquet --by where,ODD --units nats"),
        Answered(check_visible),
        "A table with visible characters only.",
    ),
    Case(
        "`llrcal fuse` where systems and conditions clear the screen",
        odd_names_in_data("fuse odd.parquet --scores ODD,score --condition where -o f.json"),
        Answered(check_visible),
        "Tables and notes with visible characters only.",
    ),
    Case(
        "Parquet to standard output, whose reader has gone",
        nobody_reads("convert labelled.txt -o - --to parquet --quiet"),
        Answered(check_quiet_end),
        "The end, without a word.",
        "polars: ComputeError",
    ),
    Case(
        "Parquet to standard output, where there is no room",
        no_room("convert labelled.txt -o - --to parquet --quiet"),
        Ended("File too large", "llrcal: "),
        "One line, as on any other file that cannot be written.",
        "polars: ComputeError",
    ),
    Case(
        "`llrcal fit` on more than the limit on memory allows (`ulimit -v`)",
        little_memory("fit ../tar.npy --key ../non.npy -o m.json"),
        Ended("there is not enough memory", "llrcal: ", "--in-pieces"),
        "One line, and the files are not blamed. Below 2 GB, polars and OpenBLAS may end the "
        "process before llrcal has the word.",
        "numpy: OSError",
    ),
)

SECTION = Section(
    "L",
    "The command line",
    "Wrong use of each verb. A command that is refused ends with one line on standard error, or "
    "with how it is used where it could not be parsed. Each case sees to it that every file is as "
    "it was before, and none was added.",
    CASES,
)
