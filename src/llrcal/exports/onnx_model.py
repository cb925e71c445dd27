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
        from onnx import TensorProto, checker, helper, numpy_helper
    except ImportError:
        raise OptionError("this needs the package onnx: pip install 'llrcal[onnx]'") from None
    nodes: list[Any] = []
    constants: list[Any] = []

    def add(operator: str, *inputs: str | Array, output: str = "") -> str:
        """Add a node, whose output is returned; arrays among its inputs become constants."""
        names = []
        for value in inputs:
            if isinstance(value, np.ndarray):
                constants.append(numpy_helper.from_array(value, f"constant_{len(constants)}"))
            names.append(value if isinstance(value, str) else constants[-1].name)
        nodes.append(helper.make_node(operator, names, [output or f"value_{len(nodes)}"]))
        return str(nodes[-1].output[0])

    knots, starts = curve.knots, curve.knots[:-1]
    z = add("Mul", add("Sub", "scores", np.array(curve.origin)), np.array(curve.per_unit))
    z = add("Clip", z, np.array(knots[0]), np.array(knots[-1]))
    # Its piece, by a binary search with as many steps for all, since graphs do not loop.
    steps = max(len(starts) - 1, 1).bit_length()
    padded = np.append(starts, np.full(2**steps - len(starts), np.inf))
    piece: str | Array = np.array(0)
    for step in reversed(range(steps)):
        tried = add("Add", piece, np.array(2**step))
        piece = add("Where", add("GreaterOrEqual", z, add("Gather", padded, tried)), tried, piece)
    p, y, a, b = (add("Gather", np.ascontiguousarray(column), piece) for column in curve.rows.T)
    d = add("Sub", z, p)
    llrs = add("Add", y, add("Mul", d, add("Add", a, add("Mul", b, add("Abs", d)))))
    # Runtimes differ in what they make of NaN on the way.
    add("Where", add("IsNaN", "scores"), "scores", llrs, output="llrs")

    ends = [
        helper.make_tensor_value_info(title, TensorProto.DOUBLE, ["trials"])
        for title in ("scores", "llrs")
    ]
    model = helper.make_model(
        helper.make_graph(nodes, name, ends[:1], ends[1:], constants),
        opset_imports=[helper.make_opsetid("", _OPERATORS)],
        ir_version=_FORMAT,
        producer_name="llrcal",
        doc_string="\n".join(description),
    )
    checker.check_model(model)
    return bytes(model.SerializeToString())
