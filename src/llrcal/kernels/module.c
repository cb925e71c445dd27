/* The kernels as a Python module. */

#include "arguments.h"

extern PyMethodDef calls_for_scores[], calls_for_fits[];

static struct PyModuleDef definition = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "llrcal.kernels._compiled",
    .m_methods = calls_for_scores,
};

PyMODINIT_FUNC PyInit__compiled(void) {
    PyObject *module = PyModule_Create(&definition);
    if (module && PyModule_AddFunctions(module, calls_for_fits) < 0)
        Py_CLEAR(module);
    return module;
}
