/* The kernels, each in a file of its name. */

#ifndef LLRCAL_KERNELS_H
#define LLRCAL_KERNELS_H

#include "scores.h"

/* Whether the size of a score exceeds a limit, as that of NaN always does. */
int any_beyond(Scores scores, double limit);

/* Least and greatest score; infinite and minus infinite if there is none. NaN counts as none. */
typedef struct {
    double least, greatest;
} Ends;
Ends ends_of(Scores scores);

/* Count, sum of places and sum of squared places (over 2^30) in each bin, added to a table of four
   integers a bin, of which the last stays zero. Stops at scores beyond the grid, and gives the ends
   of the chunk that they are in; otherwise those of all scores. */
typedef struct {
    int64_t done;
    Ends ends;
} Binned;
Binned bins(Scores scores, int64_t chunk, Grid grid, double reach, int64_t *table);

/* Where a kernel stopped because an array was full, and how many items it wrote. */
typedef struct {
    int64_t next, found;
} Found;

/* The keys of scores, from one of them on, that do not exceed a ceiling. */
Found keys_up_to(Scores scores, int64_t start, uint64_t ceiling, uint64_t *keys, int64_t room);

/* Which bins hold values: a bit for each, in words of 64 bins, with a word more at the end, and how
   many bins before those of a word do. */
typedef struct {
    const uint64_t *in_word;
    const uint32_t *before;
} Values;

/* Scores in bins without values, counted by how many bins before hold values; others are written
   out. */
typedef struct {
    Found found;
    double least;
} Sieved;
Sieved sieve(Scores scores, int64_t start, Grid grid, Values values, int64_t *in_gap, double *held,
             int64_t room);

/* Scores by their class; how many of them are targets. Either array needs room for one more. */
int64_t split(Scores scores, const uint8_t *is_tar, double *tar, double *non);

/* The value of the last knot that does not exceed a score; the first value below all knots. */
typedef struct {
    const double *knots, *values;
    int64_t count;
} Steps;
void step_function(Scores scores, Steps steps, double *out);

/* Quadratic pieces between knots; beyond them, the value at the outermost knot. */
typedef struct {
    double origin, base, slope, bend;
} Piece;
typedef struct {
    const double *knots; /* one more than there are pieces */
    const Piece *piece;
    int64_t pieces;
    double per_unit;
} Spline;
void spline_values(Scores scores, Spline spline, double *out);

/* The upper and the lower halves of mantissas, added up for each exponent, in two tables of two
   rows that belong together. Numbers that are not positive count as zero. */
enum { EXPONENTS = 2048 };
void add_exactly(Scores numbers, int64_t *halves);

/* A Chebyshev series of at least three terms. */
void chebyshev(Scores at, const double *terms, int64_t count, double *out);

/* A polynomial, its constant term first. */
void power_series(Scores at, const double *terms, int64_t count, double *out);

/* Sums of rows of the same length, each times its weight, one row after the other. */
void weighted_rows(const double *rows, const double *weights, int64_t terms, int64_t count,
                   double *out);

/* What a pass of logistic regression adds up, exactly: costs of trials, and their derivatives by the
   weights of terms of size up to one. x is what the costs rise with, small is exp(-|x|), and logs
   is log(1 + small); costs times scale are at most one. Each sum is two integers, the upper of
   which counts 2^31 of the lower. */
typedef struct {
    const double *x, *small, *logs;
    double scale;
    int64_t count;
} Logistic;
void logistic_sums(Logistic at, const double *rows, int64_t terms, int64_t *sums);

/* A normal-inverse-Gaussian log density at points z, but for constants: what is not exactly rounded
   comes from NumPy. The names are those of densities/nig_likelihood.py. Ten rows are written: the
   value, its derivatives by z, v and c, and those by zz, zv, zc, vv, vc and cc. */
typedef struct {
    const double *z, *q, *exponent, *log_q, *bessel, *bessel1, *bessel2;
} NigPoints;
typedef struct {
    double c, sinh, cosh, tanh, square, a, a_squared, root, bent, curl;
} NigShape;
enum { NIG_ROWS = 10 };
void nig_shape(NigPoints at, NigShape shape, int64_t count, double *out);

#endif
