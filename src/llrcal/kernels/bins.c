#include "kernels.h"

/* Bins and places, a block at a time: arithmetic that compilers put into vectors. */
PART void locate(Scores block, int single, ptrdiff_t step, Grid grid, uint32_t *number,
                          uint32_t *place) {
    const int spare = MANTISSA_BITS - grid.bin_bits - PLACE_BITS;
    const uint64_t half = UINT64_C(1) << (spare - 1), last = 2 * (uint64_t)grid.side - 1;
    for (int64_t i = 0; i < block.count; i++) {
        double y = distance(&grid, score(block.first + i * step, single));
        uint64_t rounded = (outward(y) + half) >> spare;
        uint64_t found = ((rounded >> PLACE_BITS) ^ below(y)) + (uint64_t)grid.side;
        place[i] = (uint32_t)(rounded & ((UINT64_C(1) << PLACE_BITS) - 1));
        /* The caller has looked at the ends; this is for arrays that another thread changes. */
        number[i] = (uint32_t)(found < last ? found : last);
    }
}

/* The four integers of a bin are added to as one vector, where the compiler knows vectors. */
#ifdef __GNUC__
typedef int64_t Four __attribute__((vector_size(32), aligned(8), may_alias));
#endif

PART void tally(const uint32_t *number, const uint32_t *place, int64_t count, int64_t *table) {
    for (int64_t i = 0; i < count; i++) {
        int64_t *bin = table + 4 * (size_t)number[i], here = place[i];
        int64_t square = (here * here) >> PLACE_BITS;
#ifdef __GNUC__
        *(Four *)bin += (Four){1, here, square, 0};
#else
        bin[0] += 1;
        bin[1] += here;
        bin[2] += square;
#endif
    }
}

KERNEL Binned bins(Scores scores, int64_t chunk, Grid grid, double reach, int64_t *table) {
    Binned out = {0, {INFINITY, -INFINITY}};
    uint32_t number[BLOCK], place[BLOCK];
    while (out.done < scores.count) {
        Scores block = stretch(scores, out.done, BLOCK);
        Ends ends = ends_of(block);
        if (!(fmax(ends.greatest - grid.origin, grid.origin - ends.least) < reach)) {
            out.ends = ends_of(stretch(scores, out.done - out.done % chunk, chunk));
            return out;
        }
#define CALL(single, step) locate(block, single, step, grid, number, place)
        FOR_EACH_KIND(&block, CALL);
#undef CALL
        tally(number, place, block.count, table);
        out.done += block.count;
        out.ends.least = fmin(out.ends.least, ends.least);
        out.ends.greatest = fmax(out.ends.greatest, ends.greatest);
    }
    return out;
}
