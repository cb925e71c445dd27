/* The arguments of calls from Python. Only the stable ABI is used: one build serves every Python from
   3.11 on. Not Py_RETURN_NONE: newer headers take None to be immortal, which it is not in 3.11. */

#ifndef LLRCAL_ARGUMENTS_H
#define LLRCAL_ARGUMENTS_H

#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "kernels.h"

/* The arrays of one call, until it returns. */
typedef struct {
    Py_buffer views[9];
    int count;
} Arrays;

static inline void *release(Arrays *arrays) {
    while (arrays->count)
        PyBuffer_Release(&arrays->views[--arrays->count]);
    return NULL;
}

/* Scores: one-dimensional native float32 or float64, with any step. */
static inline int get_scores(PyObject *from, Arrays *arrays, Scores *scores) {
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
static inline void *get_items(PyObject *from, Arrays *arrays, int flags, Py_ssize_t size, int64_t least) {
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
static inline int64_t items(const Arrays *arrays) {
    const Py_buffer *view = &arrays->views[arrays->count - 1];
    return view->len / view->itemsize;
}

static inline int is_natural(long long number) {
    if (number < 0)
        PyErr_SetString(PyExc_ValueError, "a place or a count is negative");
    return number >= 0;
}

#endif
