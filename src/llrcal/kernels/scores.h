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

/* A kernel is compiled for narrow and for wide vectors, and chosen when the module is loaded. The
   roundings, and with them all bits, are the same. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
#if __GNUC__ >= 12
#define KERNEL __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#endif
#endif
#ifndef KERNEL
#define KERNEL
#endif

/* What a kernel consists of must become part of it, or it would be compiled for narrow vectors. */
#ifdef __GNUC__
#define PART static inline __attribute__((always_inline))
#else
#define PART static inline
#endif

typedef struct {
    const char *first;
    ptrdiff_t step; /* bytes from one score to the next */
    int64_t count;
    int single; /* float32 rather than float64 */
} Scores;

/* Loads may be unaligned, as those of NumPy may. */
PART double score(const char *at, int single) {
    if (single) {
        float narrow;
        memcpy(&narrow, at, sizeof narrow);
        return narrow;
    }
    double wide;
    memcpy(&wide, at, sizeof wide);
    return wide;
}

PART uint64_t bits_of(double number) {
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
PART double distance(const Grid *grid, double score) {
    return (score - grid->origin) * grid->per_unit + 0.0;
}

/* All ones below the origin, else zero. */
PART uint64_t below(double distance) { return 0 - (bits_of(distance) >> 63); }

/* An integer that rises with the distance from the origin. */
PART uint64_t outward(double distance) { return bits_of(fabs(distance) + 1.0) - ONE; }

/* How many bits are set. */
PART uint32_t ones(uint64_t bits) {
#ifdef __GNUC__
    return (uint32_t)__builtin_popcountll(bits);
#else
    bits -= (bits >> 1) & UINT64_C(0x5555555555555555);
    bits = (bits & UINT64_C(0x3333333333333333)) + ((bits >> 2) & UINT64_C(0x3333333333333333));
    bits = (bits + (bits >> 4)) & UINT64_C(0x0F0F0F0F0F0F0F0F);
    return (uint32_t)((bits * UINT64_C(0x0101010101010101)) >> 56);
#endif
}

enum { BLOCK = 1 << 10 }; /* scores that are still in the innermost cache when they are used again */

/* Some of the scores, from one of them on. */
PART Scores stretch(Scores scores, int64_t from, int64_t most) {
    Scores part = scores;
    part.first += from * scores.step;
    part.count = scores.count - from < most ? scores.count - from : most;
    return part;
}

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
