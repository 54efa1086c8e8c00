// On which side: signs of determinants of float coordinates, without rounding.
//
// Every product of two floats fits a double, and a third factor leaves two doubles, so the
// determinants are sums of doubles that are added as expansions (Shewchuk 1997): the sign is exact
// for all finite floats, however close to zero. Shares nothing with the library on purpose: it
// judges the library.
#ifndef MIEN_LAB_EXACT_H
#define MIEN_LAB_EXACT_H

// Sign (-1, 0, 1) of (b - a) x (c - a) . (d - a).
int exact_side_3d(const float a[3], const float b[3], const float c[3], const float d[3]);
// Sign of (b - a) x (c - a) in the plane that is left when axis `drop` is dropped.
int exact_side_2d(const float a[3], const float b[3], const float c[3], int drop);

#endif
