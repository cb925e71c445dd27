#include "kernels.h"

/* Which of the rising knots do not exceed a place: a table of narrow bins says where to look.

   The number of a bin never falls from a place to a higher one, whatever the rounding. So knots in
   lower bins do not exceed a place, knots in higher bins do, and only those in its own bin, mostly
   none or one, are compared with it. */

enum { OCTAVES = 6, MOST_BITS = 10, SLOTS = 2 * (OCTAVES << MOST_BITS), LARGEST_POWER = 1000 };

typedef struct {
    const double *knots;
    int64_t count;
    Grid grid;
    int rounds;               /* of comparing, for the fullest bin */
    int32_t first[SLOTS + 1]; /* knots in lower bins */
} Index;

PART uint32_t slot_of(const Grid *grid, double place) {
    const uint64_t last = (uint64_t)grid->side - 1;
    double y = distance(grid, place);
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

PART uint32_t is_up_to(const Index *index, int64_t knot, double place) {
    return index->knots[knot < index->count ? knot : index->count - 1] <= place;
}

/* How many knots do not exceed a score, without a branch to mispredict. Knots after those in its
   bin exceed it; if there are none, what is counted twice is the last. */
PART int64_t knots_up_to(const Index *index, int rounds, uint32_t slot, double place) {
    int64_t found = index->first[slot];
    for (int64_t half = INT64_C(1) << rounds >> 1; half; half >>= 1)
        found += half & -(int64_t)is_up_to(index, found + half - 1, place);
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

/* Scores on the axis of the curve, kept within its knots, and their bins: arithmetic that compilers
   put into vectors. */
PART void each_place(Scores block, int single, ptrdiff_t step, Grid grid, Curve curve, double *place,
                     uint32_t *slot) {
    const double low = curve.knots[0], high = curve.knots[curve.pieces];
    for (int64_t i = 0; i < block.count; i++) {
        double z = (score(block.first + i * step, single) - curve.origin) * curve.per_unit;
        z = z > low ? z : low;
        place[i] = z < high ? z : high;
        slot[i] = slot_of(&grid, place[i]);
    }
}

void places_on_curve(Scores block, const Grid *grid, Curve curve, double *place, uint32_t *slot);

KERNEL void places_on_curve(Scores block, const Grid *grid, Curve curve, double *place,
                            uint32_t *slot) {
#define CALL(single, step) each_place(block, single, step, *grid, curve, place, slot)
    FOR_EACH_KIND(&block, CALL);
#undef CALL
}

PART void each_value(const Index *index, int rounds, const double *place, const uint32_t *slot,
                     int64_t count, Curve curve, double *out) {
    for (int64_t i = 0; i < count; i++) {
        const Piece *here = &curve.piece[knots_up_to(index, rounds, slot[i], place[i])];
        double away = place[i] - here->start;
        out[i] = (fabs(away) * here->bend + here->slope) * away + here->base;
    }
}

void curve_values(Scores scores, Curve curve, double *out) {
    double place[BLOCK];
    uint32_t slot[BLOCK];
    Index index;
    make_index(&index, curve.knots + 1, curve.pieces - 1);
    for (int64_t at = 0; at < scores.count; at += BLOCK) {
        Scores block = stretch(scores, at, BLOCK);
        places_on_curve(block, &index.grid, curve, place, slot);
#define CALL(rounds) each_value(&index, rounds, place, slot, block.count, curve, out + at)
        FOR_EACH_ROUNDS(index.rounds, CALL);
#undef CALL
    }
}
