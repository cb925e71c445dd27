#include "kernels.h"

static inline void each(Scores scores, int single, ptrdiff_t step, Grid grid, int64_t *table) {
    const int spare = MANTISSA_BITS - grid.bin_bits - PLACE_BITS;
    const uint64_t half = UINT64_C(1) << (spare - 1), last = 2 * (uint64_t)grid.side - 1;
    for (int64_t i = 0; i < scores.count; i++) {
        double y = distance(&grid, score(scores.first + i * step, single));
        uint64_t rounded = (outward(y) + half) >> spare;
        int64_t place = (int64_t)(rounded & ((UINT64_C(1) << PLACE_BITS) - 1));
        uint64_t number = ((rounded >> PLACE_BITS) ^ below(y)) + (uint64_t)grid.side;
        /* The caller has looked at the ends; this is for arrays that another thread changes. */
        int64_t *bin = table + 4 * (number < last ? number : last);
        bin[0] += 1;
        bin[1] += place;
        bin[2] += (place * place) >> PLACE_BITS;
    }
}

static Scores stretch(Scores scores, int64_t from, int64_t most) {
    Scores part = scores;
    part.first += from * scores.step;
    part.count = scores.count - from < most ? scores.count - from : most;
    return part;
}

enum { BLOCK = 1 << 12 }; /* scores that are still in the cache after a look at their ends */

Binned bins(Scores scores, int64_t chunk, Grid grid, double reach, int64_t *table) {
    Binned out = {0, {INFINITY, -INFINITY}};
    while (out.done < scores.count) {
        Scores block = stretch(scores, out.done, BLOCK);
        Ends ends = ends_of(block);
        if (!(fmax(ends.greatest - grid.origin, grid.origin - ends.least) < reach)) {
            out.ends = ends_of(stretch(scores, out.done - out.done % chunk, chunk));
            return out;
        }
#define CALL(single, step) each(block, single, step, grid, table)
        FOR_EACH_KIND(&block, CALL);
#undef CALL
        out.done += block.count;
        out.ends.least = fmin(out.ends.least, ends.least);
        out.ends.greatest = fmax(out.ends.greatest, ends.greatest);
    }
    return out;
}
