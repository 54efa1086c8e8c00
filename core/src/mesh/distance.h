// The closest points of a vertex and a triangle, and of two edges.
//
// Four points make a pair: 0 against the triangle 1, 2, 3, or the edge 0, 1 against the edge 2, 3.
// The vector between the closest points is r = sum coef[i] x[i]. Points without extent, collapsed
// triangles and parallel edges are all right: the distance is that of what is left of them.
#ifndef MI_DISTANCE_H
#define MI_DISTANCE_H

typedef struct mi_closest {
  double coef[4];   // vertex-triangle: 1, -b0, -b1, -b2; edge-edge: 1 - s, s, -(1 - t), -t
  double r[3];      // from the closest point of the second to that of the first
  double d2;        // |r|^2
  unsigned support; // bit i: point i belongs to the face, edge or point that is closest
} mi_closest;

// x holds four points (4 x 3).
mi_closest mi_closest_vertex_triangle(const double x[12]);
mi_closest mi_closest_edge_edge(const double x[12]);

// Free parameters of the closest points: 0 point-point, 1 point-edge, 2 interior.
int mi_closest_nfree(unsigned support);
// slope[k] = d coef / d u_k for free parameters u of that region; returns their number. The
// lengths of u are arbitrary (u runs from one point to another).
int mi_closest_slopes(unsigned support, int is_edges, double slope[2][4]);

#endif
