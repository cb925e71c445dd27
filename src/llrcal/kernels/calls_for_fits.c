/* Python calls the kernels that fits need: series and likelihoods. Arguments are checked
   here, and the interpreter lock is released around each kernel. */

#include "arguments.h"

static PyObject *py_chebyshev(PyObject *self, PyObject *args) {
    PyObject *from, *terms_from, *into;
    Arrays arrays = {.count = 0};
    Scores at;
    Series given;
    double *out;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOO:chebyshev", &from, &terms_from, &into) ||
        !get_scores(from, &arrays, &at) || !(given.terms = get_items(terms_from, &arrays, 0, 8, 3)))
        return release(&arrays);
    given.count = items(&arrays);
    if (!(out = get_items(into, &arrays, PyBUF_WRITABLE, 8, at.count)))
        return release(&arrays);
    Py_BEGIN_ALLOW_THREADS
    chebyshev(at, given, out);
    Py_END_ALLOW_THREADS
    release(&arrays);
    return Py_NewRef(Py_None);
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
    return Py_NewRef(Py_None);
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
    return Py_NewRef(Py_None);
}

PyMethodDef calls_for_fits[] = {
    {"chebyshev", py_chebyshev, METH_VARARGS, NULL},
    {"nig_ingredients", py_nig_ingredients, METH_VARARGS, NULL},
    {"nig_sums", py_nig_sums, METH_VARARGS, NULL},
    {"student_t_sums", py_student_t_sums, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
