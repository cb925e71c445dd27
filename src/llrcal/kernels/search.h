/* Which of the rising knots do not exceed a score: a table of narrow bins says where to look.

   The number of a bin never falls from a score to a higher one, whatever the rounding. So knots in
   lower bins do not exceed a score, knots in higher bins do, and only those in its own bin, mostly
   none or one, are compared with it. */

#ifndef LLRCAL_SEARCH_H
#define LLRCAL_SEARCH_H

#include "scores.h"

enum { OCTAVES = 6, MOST_BITS = 10, SLOTS = 2 * (OCTAVES << MOST_BITS), LARGEST_POWER = 1000 };

typedef struct {
    const double *knots;
    int64_t count;
    Grid grid;
    int rounds;               /* of comparing, for the fullest bin */
    int32_t first[SLOTS + 1]; /* knots in lower bins */
} Index;

PART uint32_t slot_of(const Grid *grid, double score) {
    const uint64_t last = (uint64_t)grid->side - 1;
    double y = distance(grid, score);
    uint64_t found = outward(y) >> (MANTISSA_BITS - grid->bin_bits);
    return (uint32_t)(((found < last ? found : last) ^ below(y)) + (uint64_t)grid->side);
}

/* Bins are as narrow as the inner half of the knots, and their number, suggest. */
PART void make_index(Index *index, const double *knots, int64_t count) {
    int power = 0, bits = 5;
    double spread = count ? knots[3 * count / 4] / 2 - knots[count / 4] / 2 : 0;
    if (spread > 0)
        frexp(spread, &power);
    power = power < -LARGEST_POWER ? -LARGEST_POWER : power;
    power = power > LARGEST_POWER ? LARGEST_POWER : power;
    while (bits < MOST_BITS && count >> (bits - 1))
        bits++;
    index->knots = knots;
    index->count = count;
    index->grid = (Grid){count ? knots[count / 2] : 0, ldexp(1.0, -power), bits, OCTAVES << bits};
    memset(index->first, 0, sizeof index->first);
    for (int64_t i = 0; i < count; i++)
        index->first[slot_of(&index->grid, knots[i]) + 1]++;
    int32_t most = 0;
    for (int64_t i = 1; i <= 2 * index->grid.side; i++) {
        most = index->first[i] > most ? index->first[i] : most;
        index->first[i] += index->first[i - 1];
    }
    for (index->rounds = 0; most >> index->rounds; index->rounds++)
        ;
}

PART uint32_t is_up_to(const Index *index, int64_t knot, double score) {
    return index->knots[knot < index->count ? knot : index->count - 1] <= score;
}

/* How many knots do not exceed a score, without a branch to mispredict. Knots after those in its
   bin exceed it; if there are none, what is counted twice is the last. */
PART int64_t knots_up_to(const Index *index, int rounds, uint32_t slot, double score) {
    int64_t found = index->first[slot];
    for (int64_t half = INT64_C(1) << rounds >> 1; half; half >>= 1)
        found += half & -(int64_t)is_up_to(index, found + half - 1, score);
    return found < index->count ? found : index->count;
}

/* Compilers make a loop for each of the usual numbers of rounds. */
#define FOR_EACH_ROUNDS(rounds, call) \
    do {                              \
        if ((rounds) <= 1)            \
            call(1);                  \
        else if ((rounds) == 2)       \
            call(2);                  \
        else if ((rounds) == 3)       \
            call(3);                  \
        else                          \
            call(rounds);             \
    } while (0)

/* A block of scores, held between two others, and their bins: arithmetic that compilers put into
   vectors. */
void locate(Scores block, const Grid *grid, double low, double high, double *held, uint32_t *slot);

#endif
