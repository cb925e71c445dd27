"""Small mistakes that a programmer could make, one at a time, in a file of Python.

Each is a replacement of some characters, so that all other lines stay as they are. There are none
in docstrings, annotations, decorators, ``__all__``, or in what is raised.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

Function = ast.FunctionDef | ast.AsyncFunctionDef

_COMPARISONS = {
    ast.Lt: ("<", "<=", ">"),
    ast.LtE: ("<=", "<", ">"),
    ast.Gt: (">", ">=", "<"),
    ast.GtE: (">=", ">", "<"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
}
_OPERATORS = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "/"),
    ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "/"),
    ast.Mod: ("%", "*"),
    ast.Pow: ("**", "*"),
    ast.LShift: ("<<", ">>"),
    ast.RShift: (">>", "<<"),
    ast.BitAnd: ("&", "|"),
    ast.BitOr: ("|", "&"),
}
_PAIRS = (
    *(("min", "max"), ("minimum", "maximum"), ("argmin", "argmax"), ("fmin", "fmax")),
    *(("any", "all"), ("floor", "ceil"), ("zeros", "ones"), ("log", "log1p"), ("exp", "expm1")),
)
_NAMES = {**dict(_PAIRS), **{second: first for first, second in _PAIRS}}


@dataclass(frozen=True)
class Mistake:
    """Some characters of a file, and what stands there instead."""

    file: str
    line: int
    code: str
    """The line as it should be."""
    start: int
    end: int
    old: str
    new: str
    function: str
    """What must be called to notice it: a file and the line of a function, or any of a file."""

    @property
    def words(self) -> str:
        """What was changed."""
        return f"`{self.old}` left out" if not self.new else f"`{self.old}` → `{self.new}`"

    def reached(self, functions: Iterable[str]) -> bool:
        """Whether it is in one of some functions, or in what their import does."""
        if self.function == self.file:
            return any(one.startswith(f"{self.file}:") for one in functions)
        return self.function in functions

    def made(self, text: bytes) -> bytes:
        """The file with the mistake."""
        return text[: self.start] + self.new.encode() + text[self.end :]


def mistakes(path: Path, root: Path) -> list[Mistake]:
    """Every mistake that can be made in a file."""
    return list(_File(path, str(path.relative_to(root))).found())


def probed(path: Path, root: Path) -> str:
    """A file each of whose functions tells, in ``builtins._reached``, that it was called."""
    tree, file = ast.parse(path.read_text()), str(path.relative_to(root))
    for node in ast.walk(tree):
        if isinstance(node, Function):
            call = ast.parse(f"__import__('builtins').__dict__.setdefault('_reached', set()).add("
                             f"'{file}:{node.lineno}')").body  # fmt: skip
            node.body[ast.get_docstring(node) is not None : 0] = call
    return ast.unparse(ast.fix_missing_locations(tree))


class _File:
    def __init__(self, path: Path, name: str) -> None:
        self._name, self._text = name, path.read_bytes()
        self._lines = self._text.splitlines(keepends=True)
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line))

    def found(self) -> Iterator[Mistake]:
        yield from self._inside(ast.parse(self._text), self._name)

    def _inside(self, node: ast.AST, function: str) -> Iterator[Mistake]:
        """The mistakes in what a node consists of."""
        for child in _code(node):
            home = f"{self._name}:{child.lineno}" if isinstance(child, Function) else function
            for start, end, new in self._at(child, at_import=function == self._name):
                line = self._text.count(b"\n", 0, start) + 1
                yield Mistake(
                    self._name,
                    line,
                    self._lines[line - 1].decode().strip(),
                    start,
                    end,
                    self._text[start:end].decode(),
                    new,
                    function,
                )
            yield from self._inside(child, home)

    def _at(self, node: ast.AST, *, at_import: bool) -> Iterator[tuple[int, int, str]]:  # noqa: C901, PLR0912
        """Where mistakes can be made with a node itself, and what to write there."""
        match node:
            case ast.Compare():
                sides = pairwise([node.left, *node.comparators])
                for operator, (left, right) in zip(node.ops, sides, strict=True):
                    old, *others = _COMPARISONS[type(operator)]
                    for new in others:
                        yield from self._between(left, right, old, new)
            case ast.BinOp() if type(node.op) in _OPERATORS:
                is_type = at_import and isinstance(node.op, ast.BitOr)
                if not is_type and not _is_text(node.left):
                    yield from self._between(node.left, node.right, *_OPERATORS[type(node.op)])
            case ast.AugAssign() if type(node.op) in _OPERATORS:
                old, new = (f"{one}=" for one in _OPERATORS[type(node.op)])
                yield from self._between(node.target, node.value, old, new)
            case ast.BoolOp():
                words = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
                for left, right in pairwise(node.values):
                    yield from self._between(left, right, *words)
            case ast.UnaryOp(op=ast.Not() | ast.USub() as operator):
                start = self._span(node)[0]
                yield start, start + (1 if isinstance(operator, ast.USub) else len("not ")), ""
            case ast.Constant(value=bool(value)):
                yield *self._span(node), str(not value)
            case ast.Constant(value=int(value)):
                yield *self._span(node), str(value + 1)
            case ast.Constant(value=float(value)):
                yield *self._span(node), repr(2 * value or 1.0)
            case ast.Call():
                yield from self._left_out(node)
            case ast.Name(id=name) if name in _NAMES:
                yield *self._span(node), _NAMES[name]
            case ast.Attribute(attr=name) if name in _NAMES:
                end = self._span(node)[1]
                yield end - len(name), end, _NAMES[name]
            case ast.Return(value=ast.expr() as value) if not _is_none(value):
                yield *self._span(value), "None"
            case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test):
                if isinstance(test, ast.Name | ast.Attribute | ast.Call):
                    start = self._span(test)[0]
                    yield start, start, "not "

    def _left_out(self, call: ast.Call) -> Iterator[tuple[int, int, str]]:
        given = sorted(map(self._span, [*call.args, *call.keywords]))
        for word in call.keywords:
            if word.arg:
                start, end = self._span(word)
                place = given.index((start, end))
                if place:
                    yield given[place - 1][1], end, ""
                else:
                    yield start, given[1][0] if len(given) > 1 else end, ""

    def _between(
        self, left: ast.AST, right: ast.AST, old: str, new: str
    ) -> Iterator[tuple[int, int, str]]:
        """The place of an operator, which may stand between parentheses and comments."""
        start, end = self._span(left)[1], self._span(right)[0]
        gap = re.sub(rb"#[^\n]*", lambda found: b" " * len(found[0]), self._text[start:end])
        pattern = rb"\s+".join(re.escape(word.encode()) for word in old.split())
        if found := re.search(pattern, gap):
            yield start + found.start(), start + found.end(), new

    def _span(self, node: ast.AST) -> tuple[int, int]:
        at = node.lineno, node.col_offset, node.end_lineno, node.end_col_offset  # type: ignore[attr-defined]
        return self._starts[at[0] - 1] + at[1], self._starts[at[2] - 1] + at[3]


def _code(node: ast.AST) -> Iterator[ast.AST]:
    """What is run of a node: nothing that is only said."""
    match node:
        case ast.Raise() | ast.JoinedStr() | ast.Assert():
            return
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            defaults = [*node.args.defaults, *filter(None, node.args.kw_defaults)]
            yield from [*defaults, *node.body]
        case ast.AnnAssign():
            yield from filter(None, [node.value])
        case ast.ClassDef():
            if not any("Protocol" in ast.unparse(base) for base in node.bases):
                yield from node.body
        case ast.Assign(targets=[ast.Name(id="__all__")]):
            return
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            yield from node.orelse
        case ast.If(body=[ast.Raise()], test=test, orelse=orelse):
            yield from [test, *orelse]
        case ast.Expr(value=ast.Constant()):
            return
        case _:
            yield from ast.iter_child_nodes(node)


def _is_none(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _is_text(node: ast.AST) -> bool:
    text = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return text or isinstance(node, ast.JoinedStr)
