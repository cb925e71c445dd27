#include "kernels.h"

/* Adding this rounds a number below 2^50 to an integer, ties to even, and leaves it in the lowest
   bits, from zero on if the place of zero is added as well. */
#define ROUNDING 6755399441055744.0 /* 1.5 * 2^52 */

/* Places, a block at a time: arithmetic that compilers put into vectors. No place is beyond the
   last, whatever the numbers. */
PART void locate(const double *products, int64_t count, double per_step, double zero, uint32_t last,
                 uint32_t *place) {
    for (int64_t i = 0; i < count; i++) {
        uint32_t found = (uint32_t)bits_of(products[i] * per_step + zero);
        place[i] = found < last ? found : last;
    }
}

KERNEL void count_products(Products given, double per_step, Places to) {
    const double zero = ROUNDING + (double)to.zero;
    uint32_t place[BLOCK];
    for (int64_t line = 0; line < given.matrices * given.rows; line++) {
        const double *row = given.first + line * given.cols;
        int64_t from = given.upper < 0 ? 0 : given.upper + line % given.rows + 1;
        for (; from < given.cols; from += BLOCK) {
            int64_t count = given.cols - from < BLOCK ? given.cols - from : BLOCK;
            locate(row + from, count, per_step, zero, to.last, place);
            for (int64_t i = 0; i < count; i++)
                to.table[place[i]]++;
        }
    }
}
