/* Python calls the kernels that pass over scores. Arguments are checked
   here, and the interpreter lock is released around each kernel. */

#include "arguments.h"

/* Whether all bins with values have a place to be counted in, and values that are there. */
static int are_sound(Values values, int64_t words, int64_t gaps) {
    for (int64_t i = 0; i < words; i++)
        if ((int64_t)values.before[i] + ones(values.in_word[i]) >= gaps)
            return 0;
    for (int64_t i = 1; i < gaps; i++)
        if (values.first[i] <= values.first[i - 1])
            return 0;
    return values.first[gaps - 1] <= values.count;
}

static int check_knots(int64_t count) {
    if (count > INT32_MAX)
        PyErr_SetString(PyExc_ValueError, "too many knots to be numbered");
    return count <= INT32_MAX;
}

/* A grid, from the four numbers that define it. */
typedef struct {
    double origin, unit;
    int bin_bits, octaves;
} GivenGrid;

static int get_grid(GivenGrid given, Grid *grid) {
    int power;
    double per_unit = 1.0 / given.unit;
    if (frexp(given.unit, &power) != 0.5 || !isfinite(per_unit) || given.bin_bits < 0 ||
        given.bin_bits > 21 || given.octaves < 1 || given.octaves > 1000) {
        PyErr_SetString(PyExc_ValueError, "no grid that the kernels know");
        return 0;
    }
    *grid = (Grid){given.origin, per_unit, given.bin_bits,
                   (int64_t)given.octaves << given.bin_bits};
    return 1;
}

static PyObject *py_any_beyond(PyObject *self, PyObject *args) {
    PyObject *from;
    Arrays arrays = {.count = 0};
    Scores scores;
    double limit;
    int out;
    (void)self;
    if (!PyArg_ParseTuple(args, "Od:any_beyond", &from, &limit) ||
        !get_scores(from, &arrays, &scores))
        return release(&arrays);
    Py_BEGIN_ALLOW_THREADS
    out = any_beyond(scores, limit);
    Py_END_ALLOW_THREADS
    release(&arrays);
    return PyBool_FromLong(out);
}

static PyObject *py_bins(PyObject *self, PyObject *args) {
    PyObject *from, *into;
    Arrays arrays = {.count = 0};
    Scores scores;
    GivenGrid given;
    Grid grid;
    long long chunk;
    double reach;
    int64_t *table;
    Binned out;
    (void)self;
    if (!PyArg_ParseTuple(args, "OLddiidO:bins", &from, &chunk, &given.origin, &given.unit,
                          &given.bin_bits, &given.octaves, &reach, &into) ||
        !get_grid(given, &grid) || !get_scores(from, &arrays, &scores) ||
        !(table = get_items(into, &arrays, PyBUF_WRITABLE, 8, 8 * grid.side)))
        return release(&arrays);
    Py_BEGIN_ALLOW_THREADS
    out = bins(scores, chunk < 1 ? 1 : chunk, grid, reach, table);
    Py_END_ALLOW_THREADS
    release(&arrays);
    return Py_BuildValue("Ldd", (long long)out.done, out.ends.least, out.ends.greatest);
}

static PyObject *py_keys(PyObject *self, PyObject *args) {
    PyObject *from, *into;
    Arrays arrays = {.count = 0};
    Scores scores;
    long long start;
    unsigned long long ceiling;
    uint64_t *keys;
    Found out;
    (void)self;
    if (!PyArg_ParseTuple(args, "OLKO:keys", &from, &start, &ceiling, &into) ||
        !get_scores(from, &arrays, &scores) ||
        !(keys = get_items(into, &arrays, PyBUF_WRITABLE, 8, 1)) || !is_natural(start))
        return release(&arrays);
    int64_t room = items(&arrays);
    Py_BEGIN_ALLOW_THREADS
    out = keys_up_to(scores, start, ceiling, keys, room);
    Py_END_ALLOW_THREADS
    release(&arrays);
    return Py_BuildValue("LL", (long long)out.next, (long long)out.found);
}

static PyObject *py_count_among(PyObject *self, PyObject *args) {
    PyObject *from, *words_from, *before_from, *first_from, *values_from, *gaps_into, *into;
    Arrays arrays = {.count = 0};
    Scores scores;
    GivenGrid given;
    Grid grid;
    Values values;
    int64_t *in_gap, *at;
    double least = 0;
    int sound;
    (void)self;
    if (!PyArg_ParseTuple(args, "OddiiOOOOOO:count_among", &from, &given.origin, &given.unit,
                          &given.bin_bits, &given.octaves, &words_from, &before_from, &first_from,
                          &values_from, &gaps_into, &into) ||
        !get_grid(given, &grid) || !get_scores(from, &arrays, &scores))
        return release(&arrays);
    int64_t words = 2 * grid.side / 64 + 1;
    if (!(values.in_word = get_items(words_from, &arrays, 0, 8, words)) ||
        !(values.before = get_items(before_from, &arrays, 0, 4, words)) ||
        !(values.value = get_items(values_from, &arrays, 0, 8, 0)))
        return release(&arrays);
    values.count = items(&arrays);
    if (!(at = get_items(into, &arrays, PyBUF_WRITABLE, 8, 2 * values.count + 1)) ||
        !(in_gap = get_items(gaps_into, &arrays, PyBUF_WRITABLE, 8, 1)))
        return release(&arrays);
    int64_t gaps = items(&arrays);
    if (!(values.first = get_items(first_from, &arrays, 0, 4, gaps)))
        return release(&arrays);
    Py_BEGIN_ALLOW_THREADS
    if ((sound = are_sound(values, words, gaps)))
        least = count_among(scores, grid, values, in_gap, at);
    Py_END_ALLOW_THREADS
    release(&arrays);
    if (sound)
        return PyFloat_FromDouble(least);
    PyErr_SetString(PyExc_ValueError, "bins and values do not fit each other");
    return NULL;
}

static PyObject *py_split(PyObject *self, PyObject *args) {
    PyObject *from, *classes, *tar_into, *non_into;
    Arrays arrays = {.count = 0};
    Scores scores;
    const uint8_t *is_tar;
    double *tar, *non;
    int64_t targets = 0;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOOO:split", &from, &classes, &tar_into, &non_into) ||
        !get_scores(from, &arrays, &scores) ||
        !(is_tar = get_items(classes, &arrays, 0, 1, scores.count)))
        return release(&arrays);
    for (int64_t i = 0; i < scores.count; i++)
        targets += is_tar[i] != 0;
    if (!(tar = get_items(tar_into, &arrays, PyBUF_WRITABLE, 8, targets + 1)) ||
        !(non = get_items(non_into, &arrays, PyBUF_WRITABLE, 8, scores.count - targets + 1)))
        return release(&arrays);
    Py_BEGIN_ALLOW_THREADS
    targets = split(scores, is_tar, tar, non);
    Py_END_ALLOW_THREADS
    release(&arrays);
    return PyLong_FromLongLong(targets);
}

static PyObject *py_curve(PyObject *self, PyObject *args) {
    PyObject *from, *knots, *pieces, *into;
    Arrays arrays = {.count = 0};
    Scores scores;
    Curve curve;
    double *out;
    (void)self;
    if (!PyArg_ParseTuple(args, "OddOOO:curve", &from, &curve.origin, &curve.per_unit, &knots,
                          &pieces, &into) ||
        !get_scores(from, &arrays, &scores) ||
        !(curve.knots = get_items(knots, &arrays, 0, 8, 2)) ||
        !check_knots(curve.pieces = items(&arrays) - 1) ||
        !(curve.piece = get_items(pieces, &arrays, 0, 8, 4 * curve.pieces)) ||
        !(out = get_items(into, &arrays, PyBUF_WRITABLE, 8, scores.count)))
        return release(&arrays);
    Py_BEGIN_ALLOW_THREADS
    curve_values(scores, curve, out);
    Py_END_ALLOW_THREADS
    release(&arrays);
    return Py_NewRef(Py_None);
}

static PyObject *py_add_exactly(PyObject *self, PyObject *args) {
    PyObject *from, *into;
    Arrays arrays = {.count = 0};
    Scores numbers;
    int64_t *halves;
    (void)self;
    if (!PyArg_ParseTuple(args, "OO:add_exactly", &from, &into) ||
        !get_scores(from, &arrays, &numbers) ||
        !(halves = get_items(into, &arrays, PyBUF_WRITABLE, 8, 4 * EXPONENTS)))
        return release(&arrays);
    Py_BEGIN_ALLOW_THREADS
    add_exactly(numbers, halves);
    Py_END_ALLOW_THREADS
    release(&arrays);
    return Py_NewRef(Py_None);
}

static PyObject *py_add_costs(PyObject *self, PyObject *args) {
    PyObject *from, *logs_from, *into;
    Arrays arrays = {.count = 0};
    Scores llrs;
    double sign;
    const double *logs;
    int64_t *halves;
    (void)self;
    if (!PyArg_ParseTuple(args, "OdOO:add_costs", &from, &sign, &logs_from, &into) ||
        !get_scores(from, &arrays, &llrs) ||
        !(logs = get_items(logs_from, &arrays, 0, 8, llrs.count)) ||
        !(halves = get_items(into, &arrays, PyBUF_WRITABLE, 8, 4 * EXPONENTS)))
        return release(&arrays);
    Py_BEGIN_ALLOW_THREADS
    add_costs(llrs, sign, logs, halves);
    Py_END_ALLOW_THREADS
    release(&arrays);
    return Py_NewRef(Py_None);
}

static PyObject *py_count_products(PyObject *self, PyObject *args) {
    PyObject *from, *into;
    Arrays arrays = {.count = 0};
    Products given;
    Places places;
    long long rows, cols, upper, zero;
    double per_step;
    (void)self;
    if (!PyArg_ParseTuple(args, "OLLLdLO:count_products", &from, &rows, &cols, &upper, &per_step,
                          &zero, &into) ||
        !is_natural(rows - 1) || !is_natural(cols - 1) || !is_natural(INT32_MAX - rows) ||
        !is_natural(INT32_MAX - cols) || !is_natural(INT32_MAX - upper) ||
        !(given.first = get_items(from, &arrays, 0, 8, 0)))
        return release(&arrays);
    given.rows = rows, given.cols = cols, given.upper = upper;
    given.matrices = items(&arrays) / (rows * cols);
    if (!(places.table = get_items(into, &arrays, PyBUF_WRITABLE, 4, 1)) ||
        !is_natural(UINT32_MAX - items(&arrays)) || !is_natural(zero) ||
        !is_natural(INT32_MAX - zero))
        return release(&arrays);
    places.zero = zero, places.last = (uint32_t)(items(&arrays) - 1);
    Py_BEGIN_ALLOW_THREADS
    count_products(given, per_step, places);
    Py_END_ALLOW_THREADS
    release(&arrays);
    return Py_NewRef(Py_None);
}

PyMethodDef calls_for_scores[] = {
    {"any_beyond", py_any_beyond, METH_VARARGS, NULL},
    {"bins", py_bins, METH_VARARGS, NULL},
    {"keys", py_keys, METH_VARARGS, NULL},
    {"count_among", py_count_among, METH_VARARGS, NULL},
    {"add_exactly", py_add_exactly, METH_VARARGS, NULL},
    {"add_costs", py_add_costs, METH_VARARGS, NULL},
    {"count_products", py_count_products, METH_VARARGS, NULL},
    {"split", py_split, METH_VARARGS, NULL},
    {"curve", py_curve, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
