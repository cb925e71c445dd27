#include "kernels.h"

enum { TOGETHER = 8 };

/* Clenshaw's recurrence as in numpy.polynomial.chebyshev.chebval, for three or more terms. */
void chebyshev(Scores at, const double *terms, int64_t count, double *out) {
    for (int64_t from = 0; from < at.count; from += TOGETHER) {
        int64_t left = at.count - from, some = left < TOGETHER ? left : TOGETHER;
        double x[TOGETHER] = {0}, even[TOGETHER], odd[TOGETHER];
        for (int64_t i = 0; i < some; i++)
            x[i] = score(at.first + (from + i) * at.step, at.single);
        for (int i = 0; i < TOGETHER; i++) {
            even[i] = terms[count - 2];
            odd[i] = terms[count - 1];
        }
        for (int64_t term = count - 3; term >= 0; term--)
            for (int i = 0; i < TOGETHER; i++) {
                double before = even[i];
                even[i] = terms[term] - odd[i];
                odd[i] = before + odd[i] * (2 * x[i]);
            }
        for (int64_t i = 0; i < some; i++)
            out[from + i] = even[i] + odd[i] * x[i];
    }
}
