"""What a model file holds, declared once: as dataclasses whose fields say type, range and meaning.

A field that goes into a file is annotated with its type, and with what JSON Schema is to say of it:

    slopes: Annotated[tuple[NotNegative, ...], schema(as_many_as="scores"), "Rise at each knot."]

From that follow the schema (:func:`schema_of`), what is written (:func:`to_json`), and what is
accepted, with the words for what is not (:func:`from_json`). A field with a default may be left
out, and is left out if it has that value. A dataclass may also have a method ``check``, which is
called with the place in the file and refuses what no schema can tell.

What is written is signed (:func:`signed`): it has a checksum of all that it says.
"""

from __future__ import annotations

import json
import math
import operator
import re
from collections.abc import Callable, Iterator
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache
from hashlib import sha256
from itertools import chain, pairwise
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

from llrcal.arrays import LARGEST
from llrcal.errors import ModelFileError

_QUOTED = 80  # characters of a text that an error message quotes
_HALF_A_PAIR = re.compile("[\ud800-\udfff]")  # possible in JSON, but not in UTF-8


@dataclass(frozen=True)
class Stored:
    """How a field is kept in a file, if not as it is: under another name, or in another form.

    ``read`` may refuse what it is given by a ValueError that completes "field 'x' ...".
    """

    name: str = ""
    form: Any = None
    read: Callable[[Any], Any] | None = None
    write: Callable[[Any], Any] | None = None
    always: bool = False
    """Whether it may not be left out, although it has a default."""


ALWAYS = Stored(always=True)


def schema(**keywords: Any) -> tuple[tuple[str, Any], ...]:
    """Keywords of JSON Schema for an annotation; and two of our own, for lists.

    ``rising=True`` asks for strictly rising order, ``as_many_as="scores"`` for the length of the
    list in another field.
    """
    return tuple(keywords.items())


WIDEST = 1e9
"""The greatest standard deviation of an LLR, in nats: instead of infinity."""
GREATEST_LLR = 1e300
"""The size of LLRs in model files, at most: what is worked out from them are doubles, too."""
LEAST_WEIGHT = 1e-300
"""Of a class: the inverse of a smaller weight may overflow."""
LLR = Annotated[float, schema(minimum=-GREATEST_LLR, maximum=GREATEST_LLR)]
Deviation = Annotated[float, schema(minimum=0, maximum=WIDEST)]
# A width of scores: it is a normal double, and so are its inverse and a few times either.
Spread = Annotated[float, schema(minimum=1e-307, maximum=1e307)]
Positive = Annotated[float, schema(exclusiveMinimum=0)]
NotNegative = Annotated[float, schema(minimum=0)]
Share = Annotated[float, schema(minimum=0, maximum=1)]
Trials = Annotated[int, schema(minimum=1)]
Rising = Annotated[tuple[float, ...], schema(minItems=1, rising=True)]
_Inside = Annotated[float, schema(minimum=LEAST_WEIGHT, exclusiveMaximum=1)]
Weight = Annotated[
    float | str,
    Stored(form=_Inside | Literal["empirical"]),
    'Weight of the targets in training: a number strictly between 0 and 1, or "empirical" for '
    "their share of the trials.",
]
Checksum = Annotated[
    str | None,
    "SHA-256 of all the rest, which tells whether it was changed; docs/model-files.md says how.",
]

_PLAIN: dict[Any, dict[str, Any]] = {
    float: {"type": "number", "minimum": -LARGEST, "maximum": LARGEST},
    int: {"type": "integer", "minimum": 0, "maximum": 2**53},  # others lose digits beyond that
    bool: {"type": "boolean"},
    str: {"type": "string"},
    dict[str, Any]: {"type": "object"},
    NoneType: {"type": "null"},
}
_KINDS: dict[str, tuple[str, tuple[type, ...]]] = {
    "boolean": ("true or false", (bool,)),
    "number": ("a number", (int, float)),
    "integer": ("a whole number", (int,)),
    "string": ("text", (str,)),
    "array": ("a list", (list,)),
    "object": ("an object", (dict,)),
    "null": ("null", (NoneType,)),
}
_LIMITS: dict[str, tuple[str, Callable[[Any, Any], bool]]] = {
    "minimum": ("at least", operator.ge),
    "maximum": ("at most", operator.le),
    "exclusiveMinimum": ("above", operator.gt),
    "exclusiveMaximum": ("below", operator.lt),
}


class _Field(NamedTuple):
    attribute: str
    hint: Any
    default: Any


@cache
def declared(cls: type) -> dict[str, _Field]:
    """The fields of a dataclass that go into a file, by their names there."""
    defaults = {field.name: field.default for field in fields(cls)}
    found = {}
    for attribute, hint in get_type_hints(cls, include_extras=True).items():
        if get_origin(hint) is Annotated:
            stored = _stored(hint)
            default = MISSING if stored.always else defaults[attribute]
            kept = _not_null(hint) if default is None else hint
            found[stored.name or attribute] = _Field(attribute, kept, default)
    return found


def _not_null(hint: Any) -> Any:
    """The annotation of a field that is left out rather than null."""
    base, *marks = get_args(hint)
    others = tuple(one for one in get_args(base) if one is not NoneType)
    return Annotated[(Union[others], *marks)]  # noqa: UP007


def _stored(hint: Any) -> Stored:
    return next((mark for mark in get_args(hint) if isinstance(mark, Stored)), Stored())


@cache
def schema_of(hint: Any) -> dict[str, Any]:
    """The JSON Schema of an annotation, or of a dataclass with annotations."""
    arguments = get_args(hint)
    if get_origin(hint) is Annotated:
        out = dict(schema_of(_stored(hint).form or arguments[0]))
        for mark in arguments[1:]:
            if isinstance(mark, str):
                out["description"] = mark
            elif isinstance(mark, tuple):
                out |= mark
        return out
    if hint in _PLAIN:
        return _PLAIN[hint]
    if get_origin(hint) is Literal:
        return {"type": "string", "enum": list(arguments)}
    if get_origin(hint) in (Union, UnionType):
        return {"anyOf": [schema_of(one) for one in arguments]}
    if _is_record(hint):
        entries = declared(hint).items()
        return {
            "type": "object",
            "additionalProperties": False,
            "required": [name for name, field in entries if field.default is MISSING],
            "properties": {name: schema_of(field.hint) for name, field in entries},
        }
    items = _items(hint)
    size = {} if items[-1] is ... else {"minItems": len(items), "maxItems": len(items)}
    return {"type": "array", "items": schema_of(items[0]), **size}


def _is_record(hint: Any) -> bool:
    return isinstance(hint, type) and is_dataclass(hint)


def _items(hint: Any) -> tuple[Any, ...]:
    """The types of the items of a tuple, named or not, which are all the same."""
    return get_args(hint) or tuple(get_type_hints(hint).values())


def to_json(value: Any) -> Any:
    """A dataclass, or what its fields hold, as plain JSON values."""
    if isinstance(value, list | tuple):
        return [to_json(one) for one in value]
    kind: Any = type(value)
    if not _is_record(kind):
        return value
    out = {}
    for name, (attribute, hint, default) in declared(kind).items():
        held, write = getattr(value, attribute), _stored(hint).write
        if default is MISSING or held != default:
            out[name] = to_json(write(held) if write else held)
    return out


def signed(document: dict[str, Any]) -> dict[str, Any]:
    """A document with the checksum of what it says; one that it has already is replaced.

    It is the SHA-256 of the document without it, written as ASCII without spaces, names in order.
    So lines and the order of fields may change, but neither a value nor a digit: 1 is not 1.0.
    """
    said = {name: value for name, value in document.items() if name != "checksum"}
    text = json.dumps(said, sort_keys=True, separators=(",", ":"))
    return said | {"checksum": sha256(text.encode()).hexdigest()}


def is_signed(document: dict[str, Any]) -> bool:
    """Whether a document has the checksum of what it says."""
    return bool(document.get("checksum") == signed(document)["checksum"])


def field_error(where: str, name: str, problem: str) -> ModelFileError:
    """What is wrong with a field, which is in some place of a file."""
    return ModelFileError(f"{where}: field {quoted(name)} {problem}")


def quoted(text: str) -> str:
    """A text from a file in quotes: escaped if not printable, and shortened if long."""
    return repr(text if len(text) <= _QUOTED else text[:_QUOTED] + "…")


def from_json(cls: Any, value: Any, where: str, **known: Any) -> Any:
    """The instance of a dataclass that a JSON object describes.

    Parameters
    ----------
    where
        The file, and the place in it, for error messages.
    **known
        Values of fields that are not in the file.

    Raises
    ------
    ModelFileError
        If anything is missing, unknown, of another type or out of range.
    """
    if not isinstance(value, dict):
        raise ModelFileError(f"{where}: expected an object, found {_kind(value)}")
    for name, (attribute, hint, default) in declared(cls).items():
        if name in value:
            known[attribute] = _read(hint, value[name], where, name)
            for problem in _problems_among(schema_of(hint), value, name):
                raise field_error(where, name, problem)
        elif default is MISSING:
            raise field_error(where, name, "is missing")
    for name in value:
        if name not in declared(cls):
            raise field_error(where, name, "is unknown")
    out = cls(**known)
    if hasattr(out, "check"):
        out.check(where)
    return out


def _read(hint: Any, value: Any, where: str, name: str) -> Any:
    """What a JSON value stands for, if it is as declared."""
    if _is_record(hint):
        return from_json(hint, value, f"{where}: {name}")
    for problem in _problems(schema_of(hint), value):
        raise field_error(where, name, problem)
    if get_origin(hint) is Annotated:
        stored = _stored(hint)
        found = _read(stored.form or get_args(hint)[0], value, where, name)
        try:
            return stored.read(found) if stored.read else found
        except ValueError as refusal:
            raise field_error(where, name, str(refusal)) from None
    if get_origin(hint) in (Union, UnionType):
        chosen = next(one for one in get_args(hint) if _fits(schema_of(one), value))
        return _read(chosen, value, where, name)
    if not isinstance(value, list):
        return float(value) if hint is float else value
    item = _items(hint)[0]
    if _is_record(item):
        return tuple(from_json(item, one, f"{where}: {name}[{i}]") for i, one in enumerate(value))
    described = schema_of(item)  # once: there may be millions of numbers
    for problem in chain.from_iterable(_problems(described, one) for one in value):
        raise field_error(where, name, problem)
    found = map(float, value) if described["type"] == "number" else value
    return tuple(found) if get_origin(hint) is tuple else hint(*found)


def _fits(described: dict[str, Any], value: Any) -> bool:
    """Whether a value is of the type that a schema asks for."""
    if "anyOf" in described:
        return any(_fits(one, value) for one in described["anyOf"])
    types = _KINDS[described["type"]][1]
    return isinstance(value, types) and (bool in types or not isinstance(value, bool))


def _problems(described: dict[str, Any], value: Any) -> Iterator[str]:
    """What is wrong with a value, given its schema; with a list, but for its items."""
    if not _fits(described, value):
        kinds = [_KINDS[one["type"]][0] for one in described.get("anyOf", [described])]
        yield f"must be {' or '.join(kinds)}, not {_kind(value)}"
    if isinstance(value, str):
        if _HALF_A_PAIR.search(value):
            yield "must be text, without unpaired surrogates"
        if len(value) < described.get("minLength", 0):
            yield "must not be empty"
    elif isinstance(value, list):
        least, most = described.get("minItems", 0), described.get("maxItems", math.inf)
        if not least <= len(value) <= most:
            end = f"at least {least}" if len(value) < least else f"at most {most}"
            yield f"has {len(value)} values; there must be {end}"
    elif isinstance(value, int | float) and not -LARGEST <= value <= LARGEST:
        yield "must be a finite number"
    for key, (words, holds) in _LIMITS.items():
        if key in described and not holds(value, described[key]):
            limit = described[key]
            shown = limit if isinstance(limit, int) else f"{limit:.15g}"
            yield f"must be {words} {shown}, but is {value}"
    if "enum" in described and value not in described["enum"]:
        shown = quoted(value) if isinstance(value, str) else value
        yield f"is {shown}, not one of {', '.join(map(str, described['enum']))}"


def _problems_among(described: dict[str, Any], whole: dict[str, Any], name: str) -> Iterator[str]:
    """What is wrong with a list beside the other fields, or with the order of its items."""
    value = whole[name]
    if described.get("rising") and any(before >= after for before, after in pairwise(value)):
        yield "must be in strictly rising order"
    if described.get("uniqueItems") and len(set(value)) < len(value):
        yield "must not have the same name twice"
    if "as_many_as" in described:
        wanted = len(whole[described["as_many_as"]])
        if len(value) != wanted:
            yield f"has {len(value)} values; there must be {wanted}"


def _kind(value: Any) -> str:
    return next(word for word, types in _KINDS.values() if isinstance(value, types))
