// A host may round upwards or flush small numbers to zero (audio and game engines do): the same
// input would give other bits. Work is done in the mode that the C standard starts programs in.
#include "base/base.h"

#include <fenv.h>

#if defined(__x86_64__)
#include <xmmintrin.h>

enum { USUAL = 0x1f80 }; // to nearest, small numbers kept, no traps

mi_float_mode mi_float_enter(void) {
  mi_float_mode before = {_mm_getcsr(), fegetround()};
  if (before.word != USUAL) _mm_setcsr(USUAL);
  if (before.rounding != FE_TONEAREST) fesetround(FE_TONEAREST); // of long double
  return before;
}

void mi_float_leave(mi_float_mode before) {
  if (before.rounding != FE_TONEAREST) fesetround(before.rounding);
  if (_mm_getcsr() != before.word) _mm_setcsr((unsigned)before.word);
}

#elif defined(__aarch64__)

mi_float_mode mi_float_enter(void) {
  uint64_t word;
  __asm__ volatile("mrs %0, fpcr" : "=r"(word));
  if (word) __asm__ volatile("msr fpcr, %0" ::"r"((uint64_t)0));
  return (mi_float_mode){word, 0};
}

void mi_float_leave(mi_float_mode before) {
  if (before.word) __asm__ volatile("msr fpcr, %0" ::"r"((uint64_t)before.word));
}

#else

mi_float_mode mi_float_enter(void) {
  mi_float_mode before = {0, fegetround()};
  fesetround(FE_TONEAREST);
  return before;
}

void mi_float_leave(mi_float_mode before) {
  fesetround(before.rounding);
}

#endif
