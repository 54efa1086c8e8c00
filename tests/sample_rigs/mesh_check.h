// Measures of a part of a sample rig, for tests.
#ifndef TESTS_SAMPLE_RIGS_MESH_CHECK_H
#define TESTS_SAMPLE_RIGS_MESH_CHECK_H

#include <mien/mien.h>

typedef struct mesh_report {
  int nborder_edge;    // edges with one triangle
  int nborder_loop;    // closed walks of border edges
  int nbad_edge;       // edges with more than two triangles, or two that disagree on direction
  int nbad_vertex;     // vertices whose triangles do not form one fan
  int ncomponent;      // connected pieces
  double volume;       // m^3, meaningful when there is no border
  double least_area;   // m^2
  double least_angle;  // degrees
  double mean_quality; // 1 = equilateral (4 sqrt 3 area / sum of squared edges)
} mesh_report;

// -1 when memory ran out.
int mesh_check(const mien_rig_def *def, const mien_part *part, mesh_report *out);

// Pairs of triangles of the part that cross each other without sharing a vertex; `pose` holds one
// position per vertex of the rig, NULL = at rest. -1 when memory ran out.
int mesh_count_crossings(const mien_rig_def *def, const mien_part *part, const float *pose);

#endif
