"""How llrcal knows files that it wrote: patterns of how they begin and end.

Only such files are replaced; see :func:`llrcal.files.atomic.atomic_file`. Tables have no mark.
"""

MODEL = rb'\s*\{\s*"format":\s*"llrcal (calibration|fusion)"'
PAGE = rb'<!DOCTYPE html>.{,4000}<meta name="generator" content="llrcal '
EXPORT = (
    rb"/\* Log-likelihood-ratio .{,900}Written by llrcal .*"
    rb"(< 0 \? -d : d\)\);\n    }\n}|module\.exports = { \w+ };)\s*\Z"
    rb"|\x08.\x12\x06llrcal"
)
ACCUMULATOR = rb'\{"format": "llrcal-accumulator"|PK\x03\x04.{26}tar\.npy.{,40}llrcal-accumulator'
FIGURE = (
    rb"\x89PNG.{,200}Software\x00llrcal"
    rb"|%PDF.*/Creator \(llrcal\)"
    rb"|<\?xml .{,900}<dc:title>llrcal</dc:title>"
)
