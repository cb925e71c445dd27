"""The command line: one file per verb, imported when the verb is called.

``llrcal --help`` is what people type first. It is written from the tables below without click,
whose import alone takes three times as long as starting Python.
"""

import sys

# Each verb is the command of that name in the module of that name. Its line here repeats the first
# sentence of the command's help, so that verbs can be listed without importing their modules.
GROUPS = {
    "Train and apply": {
        "pairs": "Count the scores of all pairs of embeddings.",
        "fit": "Train a calibration on scores and labels.",
        "apply": "Replace the scores in a file by calibrated LLRs.",
        "watch": "Tell whether scores look as in training.",
        "adapt": "Adapt a calibration to scores from another domain.",
        "fuse": "Fuse the scores of several systems into one LLR.",
    },
    "Evaluate and compare": {
        "evaluate": "Evaluate LLRs: Cllr, EER and detection costs.",
        "compare": "Compare every calibration of the paper, in numbers and pictures.",
        "validate": "Validate a calibration for a case file, and write a page to print.",
    },
    "Decide and report": {
        "decide": "Print which scores to accept, at costs or at an error-rate.",
        "weigh": "Print what scores are worth: LR, interval, and the LR in words.",
    },
    "Export and edit": {
        "export": "Write a calibration as a function in C, JavaScript or ONNX.",
        "convert": "Write trials in another format.",
        "sign": "Sign a model file that was edited on purpose.",
    },
    "Try out and set up": {
        "demo": "Simulate a recognizer and compare every calibration on it.",
        "simulate": "Simulate a recognizer and write its trials.",
        "completion": "Print the script that makes a shell complete verbs and options.",
    },
}
VERBS = {name: line for group in GROUPS.values() for name, line in group.items()}

# The main tasks, in the order in which they come up.
EXAMPLES = (
    "llrcal pairs embeddings.npz -o counts.parquet",
    "llrcal fit dev-scores.txt --key dev-key.txt --method nig -o nig.json",
    "llrcal apply nig.json eval-scores.txt -o eval-llrs.txt",
    "llrcal evaluate eval-llrs.txt --key eval-key.txt",
    "llrcal decide --model nig.json --p-target 0.01 --c-miss 10 --c-fa 1",
    "llrcal weigh nig.json 3.7",
    "llrcal watch model.json field-scores.txt",
    "llrcal adapt model.json field-scores.txt -o field.json",
    "llrcal fuse cos-dev.txt plda-dev.txt --key dev-key.txt -o fused.json",
    "llrcal compare --train dev.npz --test eval.npz --out results",
    "llrcal demo",
)


def help_text() -> str:
    """What ``llrcal --help`` prints."""
    options = {
        "--version": "Show the version and exit.",
        "-h, --help": "Show this message and exit.",
    }
    lines = ["Usage: llrcal [OPTIONS] COMMAND [ARGS]...", ""]
    lines += ["  Turn recognizer scores into calibrated log-likelihood-ratios (LLRs)."]
    for title, group in {"Options": options, **GROUPS}.items():
        lines += ["", f"{title}:", *(f"  {name:12}{line}" for name, line in group.items())]
    return "\n".join([*lines, "", "Examples:", *(f"  {example}" for example in EXAMPLES)])


def main(prog_name: str = "llrcal") -> None:
    """Run the command line."""
    if sys.argv[1:] not in (["--help"], ["-h"]) or sys.stdout is None:
        from llrcal.cli.endings import run_tidily

        run_tidily(lambda: _run(prog_name))
        return
    try:
        sys.stdout.write(f"{help_text()}\n")
        sys.stdout.flush()
    except (KeyboardInterrupt, OSError) as problem:
        from llrcal.cli.endings import status_after

        sys.exit(status_after(problem))


def _run(prog_name: str) -> None:
    from importlib.util import find_spec

    from llrcal.cli.endings import listen_for_interrupts, stop_listening
    from llrcal.extras import how_to_install

    needed = ("click", "rich", "polars", "matplotlib")
    if absent := [package for package in needed if not find_spec(package)]:
        sys.stderr.write(f"llrcal: the command needs {how_to_install(absent[0], extra='cli')}\n")
        sys.exit(2)
    listen_for_interrupts()
    from llrcal.cli.verbs import command_line

    try:
        command_line(prog_name=prog_name)
    finally:
        stop_listening()
