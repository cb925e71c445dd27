#include "kernels.h"

enum { TOGETHER = 8 };

/* Horner's scheme as in numpy.polynomial.polynomial.polyval. */
KERNEL void power_series(Scores at, const double *terms, int64_t count, double *out) {
    for (int64_t from = 0; from < at.count; from += TOGETHER) {
        int64_t left = at.count - from, some = left < TOGETHER ? left : TOGETHER;
        double x[TOGETHER] = {0}, sum[TOGETHER];
        for (int64_t i = 0; i < some; i++)
            x[i] = score(at.first + (from + i) * at.step, at.single);
        for (int i = 0; i < TOGETHER; i++)
            sum[i] = terms[count - 1] + x[i] * 0;
        for (int64_t term = count - 2; term >= 0; term--)
            for (int i = 0; i < TOGETHER; i++)
                sum[i] = terms[term] + sum[i] * x[i];
        for (int64_t i = 0; i < some; i++)
            out[from + i] = sum[i];
    }
}
