#include "kernels.h"

/* Bins from before the first that holds a value to after the last: beyond them nothing changes, and
   what is asked for there stays in the cache. */
typedef struct {
    uint64_t low, high;
} Range;

static Range range_of(Values values, uint64_t bins) {
    uint64_t first = 0, last = bins / 64;
    while (first < last && !values.in_word[first])
        first++;
    while (last > first && !values.in_word[last])
        last--;
    Range out = {first ? 64 * first - 1 : 0, 64 * last + 64 < bins ? 64 * last + 64 : bins - 1};
    return out;
}

/* Bins, a block at a time: arithmetic that compilers put into vectors. */
PART void locate(Scores block, int single, ptrdiff_t step, Grid grid, Range range,
                          uint32_t *number) {
    const int rest = MANTISSA_BITS - grid.bin_bits;
    const uint64_t last = (uint64_t)grid.side - 1;
    for (int64_t i = 0; i < block.count; i++) {
        double y = distance(&grid, score(block.first + i * step, single));
        uint64_t found = outward(y) >> rest;
        found = ((found < last ? found : last) ^ below(y)) + (uint64_t)grid.side;
        found = found > range.low ? found : range.low;
        number[i] = (uint32_t)(found < range.high ? found : range.high);
    }
}

/* Counts a block by its gaps, and writes out what they do not settle: how many scores these are. */
PART int64_t each(Scores block, int single, ptrdiff_t step, Grid grid, Range range, Values values,
                  int64_t *in_gap, double *held) {
    uint32_t number[BLOCK];
    int64_t found = 0;
    locate(block, single, step, grid, range, number);
    for (int64_t i = 0; i < block.count; i++) {
        uint64_t word = values.in_word[number[i] / 64], place = number[i] % 64;
        uint64_t holds = (word >> place) & 1;
        in_gap[values.before[number[i] / 64] + ones(word & ((UINT64_C(1) << place) - 1))] += !holds;
        held[found] = score(block.first + i * step, single);
        found += (int64_t)holds;
    }
    return found;
}

KERNEL Sieved sieve(Scores scores, int64_t start, Grid grid, Values values, int64_t *in_gap,
                    double *held, int64_t room) {
    const Range range = range_of(values, 2 * (uint64_t)grid.side);
    Sieved out = {{start, 0}, INFINITY};
    while (out.found.next < scores.count && room > 0) {
        Scores block = stretch(scores, out.found.next, room < BLOCK ? room : BLOCK);
        int64_t more;
#define CALL(single, step) more = each(block, single, step, grid, range, values, in_gap, held)
        FOR_EACH_KIND(&block, CALL);
#undef CALL
        held += more;
        room -= more;
        out.found.found += more;
        out.found.next += block.count;
        out.least = fmin(out.least, ends_of(block).least);
    }
    return out;
}
