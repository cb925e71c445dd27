#include "kernels.h"

static inline Sieved each(Scores scores, int single, ptrdiff_t step, int64_t start, Grid grid,
                          const int32_t *gap, int64_t *in_gap, double *held, int64_t room) {
    const int rest = MANTISSA_BITS - grid.bin_bits;
    const uint64_t last = (uint64_t)grid.side - 1;
    Sieved out = {{start, 0}, INFINITY};
    for (; out.found.next < scores.count && out.found.found < room; out.found.next++) {
        double s = score(scores.first + out.found.next * step, single);
        double y = distance(&grid, s);
        uint64_t number = outward(y) >> rest;
        number = ((number < last ? number : last) ^ below(y)) + (uint64_t)grid.side;
        int32_t before = gap[number]; /* values below an empty bin, -1 if it is not empty */
        in_gap[before + 1] += 1;
        held[out.found.found] = s;
        out.found.found += before < 0;
        out.least = s < out.least ? s : out.least;
    }
    return out;
}

Sieved sieve(Scores scores, int64_t start, Grid grid, const int32_t *gap, int64_t *in_gap,
             double *held, int64_t room) {
#define CALL(single, step) return each(scores, single, step, start, grid, gap, in_gap, held, room)
    FOR_EACH_KIND(&scores, CALL);
#undef CALL
}
