/* Series at some points at a time, of which none has to wait for another. */

#ifndef LLRCAL_SERIES_H
#define LLRCAL_SERIES_H

#include "scores.h"

enum { TOGETHER = 16 };

typedef struct {
    const double *terms;
    int64_t count;
} Series;

/* Clenshaw's recurrence as in numpy.polynomial.chebyshev.chebval, for three or more terms. */
PART void clenshaw(const double *x, Series series, double *out) {
    double even[TOGETHER], odd[TOGETHER];
    for (int i = 0; i < TOGETHER; i++) {
        even[i] = series.terms[series.count - 2];
        odd[i] = series.terms[series.count - 1];
    }
    for (int64_t term = series.count - 3; term >= 0; term--)
        for (int i = 0; i < TOGETHER; i++) {
            double before = even[i];
            even[i] = series.terms[term] - odd[i];
            odd[i] = before + odd[i] * (2 * x[i]);
        }
    for (int i = 0; i < TOGETHER; i++)
        out[i] = even[i] + odd[i] * x[i];
}

/* Horner's scheme as in numpy.polynomial.polynomial.polyval. */
PART void horner(const double *x, Series series, double *out) {
    double sum[TOGETHER];
    for (int i = 0; i < TOGETHER; i++)
        sum[i] = series.terms[series.count - 1] + x[i] * 0;
    for (int64_t term = series.count - 2; term >= 0; term--)
        for (int i = 0; i < TOGETHER; i++)
            sum[i] = series.terms[term] + sum[i] * x[i];
    memcpy(out, sum, sizeof sum);
}

#endif
