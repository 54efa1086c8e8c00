#include "ledger.h"

#include <strings.h>

// clang-format off
const ledger_row ledger[] = {
    // Barrielle & Stoiber: real-time solver, sticky lips, webcam
    {"B1", "flesh from blendshapes alone, no inverted tetrahedron", &claim_b1},
    {"B2", "blendforces reach virtual markers in two rounds", &claim_b2},
    {"B3", "error against time of the solver and its rivals, with contacts", &claim_b3},
    {"B4", "first-order SVD: error against plain memoization", &claim_b4},
    {"B5", "first-order SVD: cost against a full SIMD SVD", &claim_b5},
    {"B6", "memoized decompositions: shares kept, corrected and computed", &claim_b6},
    {"B7", "frame time at 14k vertices, without and with constraints", &claim_b7},
    {"B8", "lips never cross with contact on", &claim_b8},
    {"B9", "sticky lips: break probability, seed, frame rate", &claim_b9},
    {"B10", "stiffness fitted from the shapes, non-negative", &claim_b10},
    {"B11", "passive parts swing, collide and stick", &claim_b11},
    {"B12", "from video to a simulated face at the camera's rate", &claim_b12},
    // Dinev: lips from examples, energy, muscles
    {"D1", "lip correction learned from a few corrected frames", NULL},
    {"D2", "order and energy of the integrators", &claim_d2},
    {"D3", "stabilised midpoint keeps the energy within 1 %", &claim_d3},
    {"D4", "energy projection (FEPR) restores energy and momenta", &claim_d4},
    {"D5", "wind: flesh ripples with energy projection", &claim_d5},
    {"D6", "muscle model: rows of the activation map lie in the simplex", &claim_d6},
    {"D7", "muscle map fitted to scans, then unseen expressions", &claim_d7},
    {"D8", "activation solve against a solve for every tetrahedron", &claim_d8},
    {"D9", "the muscle model refuses a dent that is not physical", &claim_d9},
    {"D10", "fat dial, activations as volumetric blendshapes, jaw", &claim_d10},
    // Kozlov et al.: enriching a rig without changing it
    {"K1", "a still head gives the input animation exactly, also on hard rigs", &claim_k1},
    {"K2", "rebalancing: no oscillation when rest shape or material changes", &claim_k2},
    {"K3", "partial rebalancing interpolates", &claim_k3},
    {"K4", "blendvolumes: no inverted tetrahedron in any expression", &claim_k4},
    {"K5", "materials painted per expression", &claim_k5},
    {"K6", "jaw and teeth as colliders", &claim_k6},
    {"K7", "a dense rig simulated at a coarse one and mapped back", &claim_k7},
    {"K8", "extreme change of volume and stiffness while shaking", &claim_k8},
    {"K9", "time of a step with rebalancing", &claim_k9},
    // Li et al.: intersection-free contact at the cost of projective dynamics
    {"L1", "barrier contact: no intersection at any iterate", &claim_l1},
    {"L2", "the barrier's global step: PCG, Schur complement, Woodbury", &claim_l2},
    {"L3", "cost does not depend on the barrier's stiffness", &claim_l3},
    {"L4", "a frame with the barrier against one without contact", &claim_l4},
    // Bouaziz: tracking, retargeting, projective dynamics
    {"Z1", "projections of all constraints against brute force", &claim_z1},
    {"Z2", "local/global iterations against Newton's method", &claim_z2},
    {"Z3", "stiffness independent of iterations and meshing", &claim_z3},
    {"Z4", "tracking from colour and depth with a learned prior", NULL},
    {"Z5", "the prior keeps poses plausible under noise", NULL},
    {"Z6", "the face model is built while it is tracked", NULL},
    {"Z7", "l1 against l2: fewer active shapes at the same fit", NULL},
    {"Z8", "retargeting from few labelled pairs", NULL},
    {"Z9", "temporal filter: neither jitter nor lag", &claim_z9},
};
// clang-format on
const int ledger_count = sizeof ledger / sizeof *ledger;

int ledger_find(const char *id) {
  for (int i = 0; i < ledger_count; i++)
    if (!strcasecmp(ledger[i].id, id)) return i;
  return -1;
}
