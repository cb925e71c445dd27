#include "kernels.h"

#define ODD UINT64_C(0x9E3779B97F4A7C15) /* of onepass/sample.py */

enum { SOME = 8 }; /* scores that are looked at together: hardly any key is low enough */

PART uint64_t key_of(Scores scores, int single, ptrdiff_t step, int64_t i) {
    return bits_of(score(scores.first + i * step, single)) * ODD;
}

PART Found each(Scores scores, int single, ptrdiff_t step, int64_t start, uint64_t ceiling,
                         uint64_t *keys, int64_t room) {
    Found out = {start, 0};
    while (out.next < scores.count && out.found < room) {
        int64_t end = scores.count < out.next + SOME ? scores.count : out.next + SOME;
        if (end == out.next + SOME) {
            int any = 0;
            for (int i = 0; i < SOME; i++)
                any |= key_of(scores, single, step, out.next + i) <= ceiling;
            if (!any) {
                out.next = end;
                continue;
            }
        }
        for (; out.next < end && out.found < room; out.next++) {
            uint64_t key = key_of(scores, single, step, out.next);
            if (key <= ceiling)
                keys[out.found++] = key;
        }
    }
    return out;
}

KERNEL Found keys_up_to(Scores scores, int64_t start, uint64_t ceiling, uint64_t *keys, int64_t room) {
#define CALL(single, step) return each(scores, single, step, start, ceiling, keys, room)
    FOR_EACH_KIND(&scores, CALL);
#undef CALL
}
