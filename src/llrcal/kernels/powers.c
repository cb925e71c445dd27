#include "kernels.h"

KERNEL void power_series(Scores at, Series series, double *out) {
    for (int64_t from = 0; from < at.count; from += TOGETHER) {
        int64_t left = at.count - from, some = left < TOGETHER ? left : TOGETHER;
        double x[TOGETHER] = {0}, sum[TOGETHER];
        for (int64_t i = 0; i < some; i++)
            x[i] = score(at.first + (from + i) * at.step, at.single);
        horner(x, series, sum);
        memcpy(out + from, sum, (size_t)some * sizeof *sum);
    }
}
