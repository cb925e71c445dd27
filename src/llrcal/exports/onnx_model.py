"""A curve as an ONNX graph, from a tensor of scores to one of LLRs (doubles)."""

from __future__ import annotations

from typing import Any

import numpy as np

from llrcal.arrays import Array
from llrcal.calibrations.curve import Curve
from llrcal.errors import OptionError

_OPERATORS, _FORMAT = 17, 8  # versions that runtimes have known since 2022


def onnx_model(curve: Curve, name: str, description: list[str]) -> bytes:
    """A serialised model with the input ``scores`` and the output ``llrs``."""
    try:
        from onnx import TensorProto, checker, helper
    except ImportError:
        raise OptionError("this needs the package onnx: pip install 'llrcal[onnx]'") from None
    graph = _Graph()
    _add_llrs(graph, curve)
    scores, llrs = (
        helper.make_tensor_value_info(title, TensorProto.DOUBLE, ["trials"])
        for title in ("scores", "llrs")
    )
    model = helper.make_model(
        helper.make_graph(graph.nodes, name, [scores], [llrs], graph.constants),
        opset_imports=[helper.make_opsetid("", _OPERATORS)],
        ir_version=_FORMAT,
        producer_name="llrcal",
        doc_string="\n".join(description),
    )
    checker.check_model(model)
    return bytes(model.SerializeToString())


class _Graph:
    """Nodes and constants, each with a name of its own."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def add(self, operator: str, *inputs: str | Array, output: str = "") -> str:
        """Add a node; arrays among its inputs become constants. Its output is returned."""
        from onnx import helper, numpy_helper

        names = []
        for value in inputs:
            if isinstance(value, np.ndarray):
                names.append(f"constant_{len(self.constants)}")
                self.constants.append(numpy_helper.from_array(value, names[-1]))
            else:
                names.append(value)
        output = output or f"value_{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, names, [output]))
        return output


def _add_llrs(graph: _Graph, curve: Curve) -> None:
    knots, rows = curve.knots, curve.rows
    z = graph.add("Sub", "scores", np.array(curve.origin))
    z = graph.add("Mul", z, np.array(curve.per_unit))
    z = graph.add("Clip", z, np.array(knots[0]), np.array(knots[-1]))
    piece = _add_search(graph, z, knots[:-1])
    p, y, a, b = (graph.add("Gather", np.ascontiguousarray(column), piece) for column in rows.T)
    d = graph.add("Sub", z, p)
    slope = graph.add("Add", a, graph.add("Mul", b, graph.add("Abs", d)))
    llrs = graph.add("Add", y, graph.add("Mul", d, slope))
    # Runtimes differ in what they make of NaN on the way.
    graph.add("Where", graph.add("IsNaN", "scores"), "scores", llrs, output="llrs")


def _add_search(graph: _Graph, z: str, starts: Array) -> str:
    """The piece of each z: a binary search with as many steps for all, since graphs do not loop."""
    steps = max(len(starts) - 1, 1).bit_length()
    padded = np.append(starts, np.full(2**steps - len(starts), np.inf))
    found: str | Array = np.array(0)
    for step in reversed(range(steps)):
        tried = graph.add("Add", found, np.array(2**step))
        reached = graph.add("GreaterOrEqual", z, graph.add("Gather", padded, tried))
        found = graph.add("Where", reached, tried, found)
    return str(found)
