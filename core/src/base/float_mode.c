// A host may round upwards, flush small numbers to zero (audio and game engines do), keep fewer
// digits or want a signal for what is not exact: the same input would give other bits. Work is done
// in the mode that the C standard starts programs in.
#include "base/base.h"

#include <fenv.h>

#if defined(__x86_64__)
#include <xmmintrin.h>

enum {
  USUAL = 0x1f80,
  USUAL_X87 = 0x37f
}; // to nearest, small numbers and all digits kept, no traps

static unsigned x87_mode(void) { // of long double
  unsigned short word;
  __asm__ volatile("fnstcw %0" : "=m"(word));
  return word;
}

mi_float_mode mi_float_enter(void) {
  mi_float_mode before = {.word = _mm_getcsr(), .is_other = x87_mode() != USUAL_X87};
  if (before.is_other) { // its flags, too: what is raised meanwhile is not to become a signal
    fegetenv(&before.all);
    fesetenv(FE_DFL_ENV);
  }
  if (_mm_getcsr() != USUAL) _mm_setcsr(USUAL);
  return before;
}

void mi_float_leave(mi_float_mode before) {
  if (before.is_other) fesetenv(&before.all);
  if (_mm_getcsr() != before.word) _mm_setcsr((unsigned)before.word);
}

#elif defined(__aarch64__)

mi_float_mode mi_float_enter(void) {
  uint64_t word;
  __asm__ volatile("mrs %0, fpcr" : "=r"(word));
  if (word) __asm__ volatile("msr fpcr, %0" ::"r"((uint64_t)0));
  return (mi_float_mode){.word = word};
}

void mi_float_leave(mi_float_mode before) {
  if (before.word) __asm__ volatile("msr fpcr, %0" ::"r"((uint64_t)before.word));
}

#else

mi_float_mode mi_float_enter(void) {
  mi_float_mode before = {0};
  fegetenv(&before.all);
  fesetenv(FE_DFL_ENV);
  return before;
}

void mi_float_leave(mi_float_mode before) {
  fesetenv(&before.all);
}

#endif
