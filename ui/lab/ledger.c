#include "ledger.h"

#include <strings.h>

// clang-format off
const ledger_row ledger[] = {
    // Barrielle & Stoiber: real-time solver, sticky lips, webcam
    {"B1", "flesh from blendshapes alone, no inverted tetrahedron", &claim_b1, NULL},
    {"B2", "blendforces reach virtual markers in two rounds", &claim_b2, NULL},
    {"B3", "error against time of the solver and its rivals, with contacts", &claim_b3, NULL},
    {"B4", "first-order SVD: error against plain memoization", &claim_b4, NULL},
    {"B5", "first-order SVD: cost against a full SIMD SVD", &claim_b5,
     "a full SVD takes more core cycles than the paper's first-order one if that ran on one core"},
    {"B6", "memoized decompositions: shares kept, corrected and computed", &claim_b6, NULL},
    {"B7", "frame time at 14k vertices, without and with constraints", &claim_b7, NULL},
    {"B8", "lips never cross with contact on", &claim_b8, NULL},
    {"B9", "sticky lips: break probability, seed, frame rate", &claim_b9, NULL},
    {"B10", "stiffness fitted from the shapes, non-negative", &claim_b10,
     "the flesh goes 0.55 of 1.7 mm; weights found for one expression alone leave 12 % of its motion at best"},
    {"B11", "passive parts swing, collide and stick", &claim_b11, NULL},
    {"B12", "from video to a simulated face at the camera's rate", &claim_b12, NULL},
    // Dinev: lips from examples, energy, muscles
    {"D1", "lip correction learned from a few corrected frames", NULL, NULL},
    {"D2", "order and energy of the integrators", &claim_d2, NULL},
    {"D3", "stabilised midpoint keeps the energy within 1 %", &claim_d3, NULL},
    {"D4", "energy projection (FEPR) restores energy and momenta", &claim_d4, NULL},
    {"D5", "wind: flesh ripples with energy projection", &claim_d5, NULL},
    {"D6", "muscle model: rows of the activation map lie in the simplex", &claim_d6, NULL},
    {"D7", "muscle map fitted to scans, then unseen expressions", &claim_d7, NULL},
    {"D8", "activation solve against a solve for every tetrahedron", &claim_d8, NULL},
    {"D9", "the muscle model refuses a dent that is not physical", &claim_d9, NULL},
    {"D10", "fat dial, activations as volumetric blendshapes, jaw", &claim_d10, NULL},
    // Kozlov et al.: enriching a rig without changing it
    {"K1", "a still head gives the input animation exactly, also on hard rigs", &claim_k1,
     "exact, but lids modelled inside the eyes cross up to 15 pairs more than the neutral in 6 frames of a take"},
    {"K2", "rebalancing: no oscillation when rest shape or material changes", &claim_k2, NULL},
    {"K3", "partial rebalancing interpolates", &claim_k3, NULL},
    {"K4", "blendvolumes: no inverted tetrahedron in any expression", &claim_k4, NULL},
    {"K5", "materials painted per expression", &claim_k5, NULL},
    {"K6", "jaw and teeth as colliders", &claim_k6, NULL},
    {"K7", "a dense rig simulated at a coarse one and mapped back", &claim_k7, NULL},
    {"K8", "extreme change of volume and stiffness while shaking", &claim_k8, NULL},
    {"K9", "time of a step with rebalancing", &claim_k9, NULL},
    // Li et al.: intersection-free contact at the cost of projective dynamics
    {"L1", "barrier contact: no intersection at any iterate", &claim_l1, NULL},
    {"L2", "the barrier's global step: PCG, Schur complement, Woodbury", &claim_l2,
     "a dense Schur complement is 5 times the arithmetic of conjugate gradients and more; it pays on a graphics card"},
    {"L3", "cost does not depend on the barrier's stiffness", &claim_l3,
     "at ten times the stiffness a frame takes 1.06 x, but the global step 1.12 x: more rows are stiff beside the flesh"},
    {"L4", "a frame with the barrier against one without contact", &claim_l4,
     "2.4 times, for 2: the bound that nothing crosses takes two thirds of a frame without contact"},
    // Bouaziz: tracking, retargeting, projective dynamics
    {"Z1", "projections of all constraints against brute force", &claim_z1, NULL},
    {"Z2", "local/global iterations against Newton's method", &claim_z2,
     "the textbook's local/global steps are ahead down to 1e-2 or 1e-3, no further; ours to 1e-8"},
    {"Z3", "stiffness independent of iterations and meshing", &claim_z3, NULL},
    {"Z4", "tracking from colour and depth with a learned prior", NULL, NULL},
    {"Z5", "the prior keeps poses plausible under noise", NULL, NULL},
    {"Z6", "the face model is built while it is tracked", NULL, NULL},
    {"Z7", "l1 against l2: fewer active shapes at the same fit", NULL, NULL},
    {"Z8", "retargeting from few labelled pairs", NULL, NULL},
    {"Z9", "temporal filter: neither jitter nor lag", &claim_z9, NULL},
};
// clang-format on
const int ledger_count = sizeof ledger / sizeof *ledger;

int ledger_find(const char *id) {
  for (int i = 0; i < ledger_count; i++)
    if (!strcasecmp(ledger[i].id, id)) return i;
  return -1;
}
