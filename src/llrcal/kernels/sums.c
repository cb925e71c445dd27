#include "kernels.h"

enum { HALF_BITS = 26 };

/* Every second number goes to a place of its own: most have one of few exponents, and an addition
   would have to wait for the one before. */
PART void each(Scores numbers, int single, ptrdiff_t step, int64_t *halves) {
    const uint64_t one = UINT64_C(1) << MANTISSA_BITS;
    for (int64_t i = 0; i < numbers.count; i++) {
        double number = score(numbers.first + i * step, single);
        uint64_t bits = bits_of(number > 0 ? number : 0.0), exponent = bits >> MANTISSA_BITS;
        uint64_t mantissa = (bits & (one - 1)) | (exponent ? one : 0);
        int64_t *half = halves + (i & 1) * 2 * EXPONENTS + exponent;
        half[0] += (int64_t)(mantissa >> HALF_BITS);
        half[EXPONENTS] += (int64_t)(mantissa & ((UINT64_C(1) << HALF_BITS) - 1));
    }
}

void add_exactly(Scores numbers, int64_t *halves) {
#define CALL(single, step) each(numbers, single, step, halves)
    FOR_EACH_KIND(&numbers, CALL);
#undef CALL
}

PART void costs(Scores block, int single, ptrdiff_t step, double sign, const double *logs,
                double *out) {
    for (int64_t i = 0; i < block.count; i++) {
        double x = sign * score(block.first + i * step, single);
        out[i] = (x > 0 ? x : 0.0) + logs[i];
    }
}

KERNEL void add_costs(Scores llrs, double sign, const double *logs, int64_t *halves) {
    double cost[BLOCK];
    for (int64_t from = 0; from < llrs.count; from += BLOCK) {
        Scores block = stretch(llrs, from, BLOCK);
#define CALL(single, step) costs(block, single, step, sign, logs + from, cost)
        FOR_EACH_KIND(&block, CALL);
#undef CALL
        each((Scores){(const char *)cost, sizeof *cost, block.count, 0}, 0, sizeof *cost, halves);
    }
}
