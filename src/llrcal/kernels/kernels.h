/* The kernels, each in a file of its name. */

#ifndef LLRCAL_KERNELS_H
#define LLRCAL_KERNELS_H

#include "pairwise.h"
#include "scores.h"
#include "series.h"

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

/* Rising values and the bins that hold some: a bit for each bin, in words of 64 bins, with a word
   more at the end; how many bins before those of a word do; and the first value of each, with the
   number of values at the end. */
typedef struct {
    const uint64_t *in_word;
    const uint32_t *before, *first;
    const double *value;
    int64_t count;
} Values;

/* Counts scores in bins without values by how many bins before theirs have some. The others are
   compared: those between values are counted at twice the number of values below, those that equal
   one at the place after it. Gives the least score. */
double count_among(Scores scores, Grid grid, Values values, int64_t *in_gap, int64_t *at);

/* Scores by their class; how many of them are targets. Either array needs room for one more. */
int64_t split(Scores scores, const uint8_t *is_tar, double *tar, double *non);

/* Quadratic pieces between knots on an axis of (score - origin) * per_unit; beyond them, the value
   at the outermost knot. */
typedef struct {
    double start, base, slope, bend;
} Piece;
typedef struct {
    const double *knots; /* one more than there are pieces */
    const Piece *piece;
    int64_t pieces;
    double origin, per_unit;
} Curve;
void curve_values(Scores scores, Curve curve, double *out);

/* The upper and the lower halves of mantissas, added up for each exponent, in two tables of two
   rows that belong together. Numbers that are not positive count as zero. */
enum { EXPONENTS = 2048 };
void add_exactly(Scores numbers, int64_t *halves);

/* The same of the costs of LLRs: sign times the LLR, or zero if that is negative, plus a logarithm. */
void add_costs(Scores llrs, double sign, const double *logs, int64_t *halves);

/* Products of vectors: matrices one after the other, row by row. If only what is above a diagonal
   counts, upper is the column in which that of the first row of each matrix is, else negative. */
typedef struct {
    const double *first;
    int64_t matrices, rows, cols, upper;
} Products;
/* Each product, in steps and rounded to an integer, is counted so many places from that of zero. */
typedef struct {
    uint32_t *table;
    int64_t zero;
    uint32_t last;
} Places;
void count_products(Products products, double per_step, Places places);

/* A Chebyshev series of at least three terms. */
void chebyshev(Scores at, Series series, double *out);

/* A normal-inverse-Gaussian log density at points z, but for constants, and with names from
   densities/nig.py. What is not exactly rounded comes from NumPy and SciPy: logarithms,
   and the Bessel function where its argument t exceeds the end of its series. */
typedef struct {
    double c, sinh, cosh, tanh, square, a, a_squared, root, bent, curl;
} NigShape;
#define SERIES_END 0.5

/* Rows of q, of the exponent, one that is left as it is, and the series of the Bessel function and
   of its two derivatives; the greatest t. */
double nig_ingredients(const double *z, int64_t count, NigShape shape, const Series *series,
                       double *out);

typedef struct {
    const double *z, *q, *exponent, *log_q, *bessel, *bessel1, *bessel2;
} NigPoints;
enum { NIG_INGREDIENTS = 6, NIG_SUMS = 15 };

/* Weighted sums of the value, its derivatives by z, v and c, those by zz, zv, zc, vv, vc and cc, and
   products with z: what makes up gradient and Hessian. */
void nig_sums(NigPoints at, NigShape shape, const double *weights, int64_t count, double *sums);

/* The same of a Student-T log density: value, its derivatives by y and lam, and those by yy, yl and
   ll. The logarithms of 1 + lam y^2 come from NumPy, and series of log(1 + w) / w and its
   derivatives are for small w. */
typedef struct {
    const double *y, *log;
} TPoints;
enum { T_SUMS = 10 };
#define POWERS_END 0.2
void student_t_sums(TPoints at, double lam, const Series *series, const double *weights,
                    int64_t count, double *sums);

#endif
