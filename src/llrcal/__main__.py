"""``python -m llrcal``: the command line."""

from llrcal.cli import main

if __name__ == "__main__":
    main(prog_name="llrcal")
