#include "kernels.h"

/* A number of size up to one, added to this, has a last place of 2^-49: its bits, less those of
   this number, are the number in such units. */
#define SHIFT 12.0
enum { SOME = 512, LOW_BITS = 31 };

/* The sum in units, as two integers of which neither overflows before 2^40 trials. */
PART void put(uint64_t bits, int64_t count, int64_t *sum) {
    uint64_t total = bits - (uint64_t)count * bits_of(SHIFT);
    int64_t low = (int64_t)(total & ((UINT64_C(1) << LOW_BITS) - 1));
    sum[0] += ((int64_t)total - low) / (INT64_C(1) << LOW_BITS);
    sum[1] += low;
}

PART void add(const double *a, const double *b, int64_t count, int64_t *sum) {
    uint64_t bits = 0;
    for (int64_t i = 0; i < count; i++)
        bits += bits_of(a[i] * b[i] + SHIFT);
    put(bits, count, sum);
}

KERNEL void weighted_rows(const double *rows, const double *weights, int64_t terms, int64_t count,
                          double *out) {
    for (int64_t from = 0; from < count; from += SOME) {
        int64_t some = count - from < SOME ? count - from : SOME;
        for (int64_t i = 0; i < some; i++)
            out[from + i] = weights[0] * rows[from + i];
        for (int64_t term = 1; term < terms; term++) {
            const double *row = rows + term * count + from;
            for (int64_t i = 0; i < some; i++)
                out[from + i] += weights[term] * row[i];
        }
    }
}

KERNEL void logistic_sums(Logistic at, const double *rows, int64_t terms, int64_t *sums) {
    double cost[SOME], slope[SOME], bend[SOME], bent[SOME], one[SOME];
    for (int i = 0; i < SOME; i++)
        one[i] = 1.0;
    for (int64_t from = 0; from < at.count; from += SOME) {
        int64_t some = at.count - from < SOME ? at.count - from : SOME, *sum = sums;
        for (int64_t i = 0; i < some; i++) {
            double x = at.x[from + i], small = at.small[from + i], whole = 1.0 + small;
            cost[i] = ((x > 0.0 ? x : 0.0) + at.logs[from + i]) * at.scale;
            slope[i] = (x >= 0.0 ? 1.0 : small) / whole;
            bend[i] = small / (whole * whole);
        }
        add(cost, one, some, sum);
        for (int64_t term = 0; term < terms; term++)
            add(slope, rows + term * at.count + from, some, sum += 2);
        for (int64_t term = 0; term < terms; term++) {
            const double *row = rows + term * at.count + from;
            for (int64_t i = 0; i < some; i++)
                bent[i] = bend[i] * row[i];
            for (int64_t other = 0; other <= term; other++)
                add(bent, rows + other * at.count + from, some, sum += 2);
        }
    }
}
