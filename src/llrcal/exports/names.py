"""Names that a function cannot have in C, C++ or JavaScript, or that stand for something else."""

from __future__ import annotations

import re

# C keeps names that begin with an underscore for itself, and C++ those with two in a row.
_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9]*(_[A-Za-z0-9]+)*")

_KEYWORDS = """
alignas alignof and and_eq asm atomic_cancel atomic_commit atomic_noexcept auto bitand bitor bool
break case catch char char16_t char32_t char8_t class co_await co_return co_yield compl concept
const const_cast consteval constexpr constinit continue contract_assert decltype default delete do
double dynamic_cast else enum explicit export extern false float for friend goto if inline int long
mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public
reflexpr register reinterpret_cast requires restrict return short signed sizeof static
static_assert static_cast struct switch synchronized template this thread_local throw true try
typedef typeid typename typeof typeof_unqual union unsigned using virtual void volatile wchar_t
while xor xor_eq

arguments async await debugger enum eval export extends finally function implements import in
instanceof interface let null of package super var with yield
"""

# What runs a program, what headers and compilers define, and the functions of the C library: a
# function of the same name would take their place in the whole program.
_IN_C = """
main std linux unix NULL offsetof size_t ptrdiff_t max_align_t nullptr_t unreachable rsize_t errno
assert complex imaginary noreturn thrd_local stdin stdout stderr EOF NAN INFINITY I

acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 fabs
fdim floor fma fmax fmin fmod frexp hypot ilogb ldexp lgamma llrint llround log log10 log1p log2
logb lrint lround modf nan nearbyint nextafter nexttoward pow remainder remquo rint round scalbln
scalbn sin sinh sqrt tan tanh tgamma trunc
cabs cacos cacosh carg casin casinh catan catanh ccos ccosh cexp cimag clog conj cpow cproj creal
csin csinh csqrt ctan ctanh
fpclassify isfinite isgreater isgreaterequal isinf isless islessequal islessgreater isnan isnormal
isunordered signbit gamma j0 j1 jn y0 y1 yn

abort abs aligned_alloc at_quick_exit atexit atof atoi atol atoll bsearch calloc div exit free
getenv labs ldiv llabs lldiv malloc mblen mbstowcs mbtowc qsort quick_exit rand realloc srand
strtod strtof strtol strtold strtoll strtoul strtoull system wcstombs wctomb
clearerr fclose feof ferror fflush fgetc fgetpos fgets fopen fprintf fputc fputs fread freopen
fscanf fseek fsetpos ftell fwrite getc getchar gets perror printf putc putchar puts remove rename
rewind scanf setbuf setvbuf snprintf sprintf sscanf tmpfile tmpnam ungetc vfprintf vfscanf vprintf
vscanf vsnprintf vsprintf vsscanf
memchr memcmp memcpy memmove memset strcat strchr strcmp strcoll strcpy strcspn strdup strerror
strlen strncat strncmp strncpy strndup strpbrk strrchr strspn strstr strtok strxfrm
isalnum isalpha isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper isxdigit
tolower toupper asctime clock ctime difftime gmtime localtime mktime strftime time timespec_get
longjmp setjmp raise signal setlocale localeconv va_arg va_copy va_end va_start
"""

# What a script or a page has already, or what the source itself uses.
_IN_JAVASCRIPT = """
AggregateError Array ArrayBuffer Atomics BigInt BigInt64Array BigUint64Array Boolean DataView Date
Error EvalError FinalizationRegistry Float32Array Float64Array Function Infinity Int16Array
Int32Array Int8Array Intl Iterator JSON Map Math NaN Number Object Promise Proxy RangeError
ReferenceError Reflect RegExp Set SharedArrayBuffer String Symbol SyntaxError TypeError URIError
Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakRef WeakSet decodeURI
decodeURIComponent encodeURI encodeURIComponent escape globalThis isFinite isNaN parseFloat
parseInt undefined unescape
console constructor document exports global hasOwnProperty history location module navigator
process prototype require self top toString valueOf window
"""

_FLOATS_AND_LONG = {f"{name}{end}" for name in _IN_C.split("\n\n")[1].split() for end in "fl"}
RESERVED = frozenset(
    {*_KEYWORDS.split(), *_IN_C.split(), *_IN_JAVASCRIPT.split(), *_FLOATS_AND_LONG}
)


def what_is_wrong_with(name: object) -> str:
    """Why this cannot be the name of a function in all of these languages; empty if it can."""
    if not isinstance(name, str) or not _IDENTIFIER.fullmatch(name):
        return "give letters and digits, a letter first, with single underscores in between"
    if name in RESERVED:
        return "C, C++ or JavaScript use this word themselves; choose another"
    return ""
