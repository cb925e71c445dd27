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

/* How many values are below a score, of those of one bin and all before. */
PART int64_t values_below(Values values, uint32_t bin, double score) {
    int64_t low = values.first[bin], some = values.first[bin + 1] - low;
    while (some > 1) {
        int64_t half = some / 2;
        low += half & -(int64_t)(values.value[low + half - 1] < score);
        some -= half;
    }
    return low + (values.value[low] < score);
}

/* Counts a block: by its gaps, without a branch to mispredict, and then what they do not settle. */
PART void each(Scores block, int single, ptrdiff_t step, Grid grid, Range range, Values values,
               int64_t *in_gap, int64_t *at) {
    uint32_t number[BLOCK], bin[BLOCK];
    uint16_t held[BLOCK];
    int found = 0;
    locate(block, single, step, grid, range, number);
    for (int64_t i = 0; i < block.count; i++) {
        uint64_t word = values.in_word[number[i] / 64], place = number[i] % 64;
        uint64_t holds = (word >> place) & 1;
        uint32_t before = values.before[number[i] / 64] + ones(word & ((UINT64_C(1) << place) - 1));
        in_gap[before] += !holds;
        held[found] = (uint16_t)i;
        bin[found] = before;
        found += (int)holds;
    }
    for (int i = 0; i < found; i++) {
        double s = score(block.first + held[i] * step, single);
        int64_t below = values_below(values, bin[i], s);
        at[2 * below + (below < values.count && values.value[below] == s)]++;
    }
}

KERNEL double count_among(Scores scores, Grid grid, Values values, int64_t *in_gap, int64_t *at) {
    const Range range = range_of(values, 2 * (uint64_t)grid.side);
    double least = INFINITY;
    for (int64_t from = 0; from < scores.count; from += BLOCK) {
        Scores block = stretch(scores, from, BLOCK);
#define CALL(single, step) each(block, single, step, grid, range, values, in_gap, at)
        FOR_EACH_KIND(&block, CALL);
#undef CALL
        least = fmin(least, ends_of(block).least);
    }
    return least;
}
