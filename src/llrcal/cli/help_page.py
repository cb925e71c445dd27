"""The page of ``llrcal --help`` for 80 columns or more, made by ``make docs``."""

HELP_PAGE = """\
Usage: llrcal [OPTIONS] COMMAND [ARGS]...

  Turn recognizer scores into calibrated log-likelihood-ratios (LLRs).

Options:
  --version   Show the version and exit.
  -h, --help  Show this message and exit.

Commands:
  fit         Train a calibration on scores and labels.
  apply       Replace the scores in a file by calibrated LLRs.
  evaluate    Evaluate LLRs: Cllr, EER and detection costs.
  decide      Print the scores to accept at a prior and costs.
  convert     Write trials in another format.
  compare     Compare every calibration of the paper, in numbers and pictures.
  simulate    Simulate a recognizer, and write its trials.
  demo        Simulate a recognizer and compare every calibration on it.
  completion  Print the script with which a shell completes verbs and options.

  Examples:
    llrcal fit dev-scores.txt --key dev-key.txt --method nig -o nig.json
    llrcal apply nig.json eval-scores.txt -o eval-llrs.txt
    llrcal evaluate eval-llrs.txt --key eval-key.txt
    llrcal decide --model nig.json --p-target 0.01 --c-miss 10 --c-fa 1
    llrcal compare --train dev.npz --test eval.npz --out results
    llrcal demo
"""
