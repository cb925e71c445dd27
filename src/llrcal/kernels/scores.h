/* What all kernels share: a view of scores, and how one of them becomes a place on a grid.

   Kernels are plain C99 without Python in it. They never allocate, and they hold no interpreter
   lock. Each does to every score exactly what the NumPy code beside its caller does, in the same
   order of roundings; the build forbids the compiler to contract or reorder them. */

#ifndef LLRCAL_SCORES_H
#define LLRCAL_SCORES_H

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 16
#error "doubles are rounded later here than NumPy rounds them"
#endif

typedef struct {
    const char *first;
    ptrdiff_t step; /* bytes from one score to the next */
    int64_t count;
    int single; /* float32 rather than float64 */
} Scores;

/* Loads may be unaligned, as those of NumPy may. */
static inline double score(const char *at, int single) {
    if (single) {
        float narrow;
        memcpy(&narrow, at, sizeof narrow);
        return narrow;
    }
    double wide;
    memcpy(&wide, at, sizeof wide);
    return wide;
}

static inline uint64_t bits_of(double number) {
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

/* The grid of onepass/grid.py. */
typedef struct {
    double origin;
    double per_unit; /* one over the unit, which is a power of two */
    int bin_bits;
    int64_t side;
} Grid;

enum { MANTISSA_BITS = 52, PLACE_BITS = 30 };
#define ONE UINT64_C(0x3FF0000000000000) /* the bits of 1.0 */

/* Distance from the origin in units, never -0.0. */
static inline double distance(const Grid *grid, double score) {
    return (score - grid->origin) * grid->per_unit + 0.0;
}

/* All ones below the origin, else zero. */
static inline uint64_t below(double distance) { return 0 - (bits_of(distance) >> 63); }

/* An integer that rises with the distance from the origin. */
static inline uint64_t outward(double distance) { return bits_of(fabs(distance) + 1.0) - ONE; }

/* Compilers make one loop of each kind of scores from a body that is inlined with constants. */
#define FOR_EACH_KIND(scores, call)                                              \
    do {                                                                         \
        if ((scores)->single)                                                    \
            call(1, (scores)->step);                                             \
        else if ((scores)->step == (ptrdiff_t)sizeof(double))                    \
            call(0, (ptrdiff_t)sizeof(double));                                  \
        else                                                                     \
            call(0, (scores)->step);                                             \
    } while (0)

#endif
