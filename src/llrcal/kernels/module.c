/* The kernels as a Python module: arguments are checked here, and the interpreter lock is released
   around each kernel. Only the stable ABI is used: one build serves every Python from 3.11 on. */

#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "kernels.h"

/* The arrays of one call, until it returns. */
typedef struct {
    Py_buffer views[9];
    int count;
} Arrays;

static void *release(Arrays *arrays) {
    while (arrays->count)
        PyBuffer_Release(&arrays->views[--arrays->count]);
    return NULL;
}

/* Scores: one-dimensional native float32 or float64, with any step. */
static int get_scores(PyObject *from, Arrays *arrays, Scores *scores) {
    Py_buffer *view = &arrays->views[arrays->count];
    if (PyObject_GetBuffer(from, view, PyBUF_STRIDES | PyBUF_FORMAT) < 0)
        return 0;
    arrays->count++;
    const char *format = view->format ? view->format : "";
    format += *format == '=' || *format == '^'; /* native, but not aligned */
    if (view->ndim != 1 || (strcmp(format, "d") && strcmp(format, "f"))) {
        PyErr_SetString(PyExc_TypeError, "scores must be one-dimensional float32 or float64");
        return 0;
    }
    *scores = (Scores){view->buf, view->strides[0], view->shape[0], format[0] == 'f'};
    return 1;
}

/* Any other array: contiguous, to read or to write, with at least so many items of a size. */
static void *get_items(PyObject *from, Arrays *arrays, int flags, Py_ssize_t size, int64_t least) {
    Py_buffer *view = &arrays->views[arrays->count];
    if (PyObject_GetBuffer(from, view, PyBUF_C_CONTIGUOUS | flags) < 0)
        return NULL;
    arrays->count++;
    if (view->itemsize == size && view->len / size >= least)
        return view->buf;
    PyErr_SetString(PyExc_ValueError, "an array has too few items, or items of another size");
    return NULL;
}

/* How many items the array has that was got last. */
static int64_t items(const Arrays *arrays) {
    const Py_buffer *view = &arrays->views[arrays->count - 1];
    return view->len / view->itemsize;
}

static int check_start(long long start) {
    if (start < 0)
        PyErr_SetString(PyExc_ValueError, "scores start at zero");
    return start >= 0;
}

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
        !(keys = get_items(into, &arrays, PyBUF_WRITABLE, 8, 1)) || !check_start(start))
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

static PyObject *py_steps(PyObject *self, PyObject *args) {
    PyObject *from, *knots, *values, *into;
    Arrays arrays = {.count = 0};
    Scores scores;
    Steps steps;
    double *out;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOOO:steps", &from, &knots, &values, &into) ||
        !get_scores(from, &arrays, &scores) ||
        !(steps.knots = get_items(knots, &arrays, 0, 8, 1)) ||
        !check_knots(steps.count = items(&arrays)) ||
        !(steps.values = get_items(values, &arrays, 0, 8, steps.count)) ||
        !(out = get_items(into, &arrays, PyBUF_WRITABLE, 8, scores.count)))
        return release(&arrays);
    Py_BEGIN_ALLOW_THREADS
    step_function(scores, steps, out);
    Py_END_ALLOW_THREADS
    release(&arrays);
    Py_RETURN_NONE;
}

static PyObject *py_spline(PyObject *self, PyObject *args) {
    PyObject *from, *knots, *pieces, *into;
    Arrays arrays = {.count = 0};
    Scores scores;
    Spline spline;
    double *out;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOOdO:spline", &from, &knots, &pieces, &spline.per_unit, &into) ||
        !get_scores(from, &arrays, &scores) ||
        !(spline.knots = get_items(knots, &arrays, 0, 8, 2)) ||
        !check_knots(spline.pieces = items(&arrays) - 1) ||
        !(spline.piece = get_items(pieces, &arrays, 0, 8, 4 * spline.pieces)) ||
        !(out = get_items(into, &arrays, PyBUF_WRITABLE, 8, scores.count)))
        return release(&arrays);
    Py_BEGIN_ALLOW_THREADS
    spline_values(scores, spline, out);
    Py_END_ALLOW_THREADS
    release(&arrays);
    Py_RETURN_NONE;
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
    Py_RETURN_NONE;
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
    Py_RETURN_NONE;
}

/* A series of at least so many terms. */
static PyObject *series(PyObject *args, int64_t least,
                        void (*kernel)(Scores, Series, double *)) {
    PyObject *from, *terms_from, *into;
    Arrays arrays = {.count = 0};
    Scores at;
    Series given;
    double *out;
    if (!PyArg_ParseTuple(args, "OOO:series", &from, &terms_from, &into) ||
        !get_scores(from, &arrays, &at) || !(given.terms = get_items(terms_from, &arrays, 0, 8, least)))
        return release(&arrays);
    given.count = items(&arrays);
    if (!(out = get_items(into, &arrays, PyBUF_WRITABLE, 8, at.count)))
        return release(&arrays);
    Py_BEGIN_ALLOW_THREADS
    kernel(at, given, out);
    Py_END_ALLOW_THREADS
    release(&arrays);
    Py_RETURN_NONE;
}

static PyObject *py_chebyshev(PyObject *self, PyObject *args) {
    (void)self;
    return series(args, 3, chebyshev);
}

static PyObject *py_powers(PyObject *self, PyObject *args) {
    (void)self;
    return series(args, 1, power_series);
}

static PyObject *py_weighted_rows(PyObject *self, PyObject *args) {
    PyObject *rows_from, *weights_from, *into;
    Arrays arrays = {.count = 0};
    const double *rows, *weights;
    double *out;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOO:weighted_rows", &rows_from, &weights_from, &into) ||
        !(weights = get_items(weights_from, &arrays, 0, 8, 1)))
        return release(&arrays);
    int64_t terms = items(&arrays);
    if (!(out = get_items(into, &arrays, PyBUF_WRITABLE, 8, 0)))
        return release(&arrays);
    int64_t count = items(&arrays);
    if (!(rows = get_items(rows_from, &arrays, 0, 8, terms * count)))
        return release(&arrays);
    Py_BEGIN_ALLOW_THREADS
    weighted_rows(rows, weights, terms, count, out);
    Py_END_ALLOW_THREADS
    release(&arrays);
    Py_RETURN_NONE;
}

static PyObject *py_logistic_sums(PyObject *self, PyObject *args) {
    PyObject *rows_from, *x_from, *small_from, *logs_from, *into;
    Arrays arrays = {.count = 0};
    const double *rows;
    Logistic at;
    long long terms;
    int64_t *sums;
    (void)self;
    if (!PyArg_ParseTuple(args, "OLOOOdO:logistic_sums", &rows_from, &terms, &x_from, &small_from,
                          &logs_from, &at.scale, &into) ||
        !check_start(terms) || !(at.x = get_items(x_from, &arrays, 0, 8, 0)))
        return release(&arrays);
    at.count = items(&arrays);
    if (terms > 1 << 20 || !(at.small = get_items(small_from, &arrays, 0, 8, at.count)) ||
        !(at.logs = get_items(logs_from, &arrays, 0, 8, at.count)) ||
        !(rows = get_items(rows_from, &arrays, 0, 8, terms * at.count)) ||
        !(sums = get_items(into, &arrays, PyBUF_WRITABLE, 8, (terms + 1) * (terms + 2))))
        return release(&arrays);
    Py_BEGIN_ALLOW_THREADS
    logistic_sums(at, rows, terms, sums);
    Py_END_ALLOW_THREADS
    release(&arrays);
    Py_RETURN_NONE;
}

/* A function and its two derivatives as series, of at least so many terms. */
static int get_series(PyObject **from, Arrays *arrays, int64_t least, Series *series) {
    for (int i = 0; i < 3; i++) {
        if (!(series[i].terms = get_items(from[i], arrays, 0, 8, least)))
            return 0;
        series[i].count = items(arrays);
    }
    return 1;
}

static PyObject *py_nig_ingredients(PyObject *self, PyObject *args) {
    PyObject *from, *shape_from, *series_from[3], *into;
    Arrays arrays = {.count = 0};
    const double *z;
    const NigShape *shape;
    Series series[3];
    double *out, most;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOOOOO:nig_ingredients", &from, &shape_from, &series_from[0],
                          &series_from[1], &series_from[2], &into) ||
        !(z = get_items(from, &arrays, 0, 8, 0)))
        return release(&arrays);
    int64_t count = items(&arrays);
    if (!get_series(series_from, &arrays, 3, series) ||
        !(shape = get_items(shape_from, &arrays, 0, 8, sizeof *shape / 8)) ||
        !(out = get_items(into, &arrays, PyBUF_WRITABLE, 8, NIG_INGREDIENTS * count)))
        return release(&arrays);
    Py_BEGIN_ALLOW_THREADS
    most = nig_ingredients(z, count, *shape, series, out);
    Py_END_ALLOW_THREADS
    release(&arrays);
    return PyFloat_FromDouble(most);
}

/* Points with their ingredients, and a shape; how many points there are, or -1. */
static int64_t get_nig(PyObject *z_from, PyObject *from, PyObject *shape_from, Arrays *arrays,
                       NigPoints *at, const NigShape **shape) {
    const double *z = get_items(z_from, arrays, 0, 8, 0);
    if (!z)
        return -1;
    int64_t count = items(arrays);
    const double *rows = get_items(from, arrays, 0, 8, NIG_INGREDIENTS * count);
    if (!rows || !(*shape = get_items(shape_from, arrays, 0, 8, sizeof **shape / 8)))
        return -1;
    *at = (NigPoints){z,
                      rows,
                      rows + count,
                      rows + 2 * count,
                      rows + 3 * count,
                      rows + 4 * count,
                      rows + 5 * count};
    return count;
}

static PyObject *py_nig_shape(PyObject *self, PyObject *args) {
    PyObject *z, *from, *shape_from, *into;
    Arrays arrays = {.count = 0};
    NigPoints at;
    const NigShape *shape;
    int64_t count;
    double *out;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOOO:nig_shape", &z, &from, &shape_from, &into) ||
        (count = get_nig(z, from, shape_from, &arrays, &at, &shape)) < 0 ||
        !(out = get_items(into, &arrays, PyBUF_WRITABLE, 8, NIG_ROWS * count)))
        return release(&arrays);
    Py_BEGIN_ALLOW_THREADS
    nig_shape(at, *shape, count, out);
    Py_END_ALLOW_THREADS
    release(&arrays);
    Py_RETURN_NONE;
}

static PyObject *py_nig_sums(PyObject *self, PyObject *args) {
    PyObject *z, *from, *shape_from, *weights_from, *into;
    Arrays arrays = {.count = 0};
    NigPoints at;
    const NigShape *shape;
    const double *weights;
    int64_t count;
    double *sums;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOOOO:nig_sums", &z, &from, &shape_from, &weights_from, &into) ||
        (count = get_nig(z, from, shape_from, &arrays, &at, &shape)) < 0 ||
        !(weights = get_items(weights_from, &arrays, 0, 8, count)) ||
        !(sums = get_items(into, &arrays, PyBUF_WRITABLE, 8, NIG_SUMS)))
        return release(&arrays);
    Py_BEGIN_ALLOW_THREADS
    nig_sums(at, *shape, weights, count, sums);
    Py_END_ALLOW_THREADS
    release(&arrays);
    Py_RETURN_NONE;
}

static PyObject *py_student_t_sums(PyObject *self, PyObject *args) {
    PyObject *y_from, *log_from, *series_from[3], *weights_from, *into;
    Arrays arrays = {.count = 0};
    TPoints at;
    double lam, *sums;
    Series series[3];
    const double *weights;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOdOOOOO:student_t_sums", &y_from, &log_from, &lam,
                          &series_from[0], &series_from[1], &series_from[2], &weights_from,
                          &into) ||
        !(at.y = get_items(y_from, &arrays, 0, 8, 0)))
        return release(&arrays);
    int64_t count = items(&arrays);
    if (!get_series(series_from, &arrays, 1, series) ||
        !(at.log = get_items(log_from, &arrays, 0, 8, count)) ||
        !(weights = get_items(weights_from, &arrays, 0, 8, count)) ||
        !(sums = get_items(into, &arrays, PyBUF_WRITABLE, 8, T_SUMS)))
        return release(&arrays);
    Py_BEGIN_ALLOW_THREADS
    student_t_sums(at, lam, series, weights, count, sums);
    Py_END_ALLOW_THREADS
    release(&arrays);
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"any_beyond", py_any_beyond, METH_VARARGS, NULL},
    {"bins", py_bins, METH_VARARGS, NULL},
    {"keys", py_keys, METH_VARARGS, NULL},
    {"count_among", py_count_among, METH_VARARGS, NULL},
    {"add_exactly", py_add_exactly, METH_VARARGS, NULL},
    {"add_costs", py_add_costs, METH_VARARGS, NULL},
    {"chebyshev", py_chebyshev, METH_VARARGS, NULL},
    {"powers", py_powers, METH_VARARGS, NULL},
    {"weighted_rows", py_weighted_rows, METH_VARARGS, NULL},
    {"logistic_sums", py_logistic_sums, METH_VARARGS, NULL},
    {"nig_ingredients", py_nig_ingredients, METH_VARARGS, NULL},
    {"nig_shape", py_nig_shape, METH_VARARGS, NULL},
    {"nig_sums", py_nig_sums, METH_VARARGS, NULL},
    {"student_t_sums", py_student_t_sums, METH_VARARGS, NULL},
    {"split", py_split, METH_VARARGS, NULL},
    {"steps", py_steps, METH_VARARGS, NULL},
    {"spline", py_spline, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "llrcal.kernels._compiled",
    .m_methods = methods,
};

PyMODINIT_FUNC PyInit__compiled(void) { return PyModule_Create(&module); }
