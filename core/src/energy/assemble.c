#include "energy/assemble.h"

#include <string.h>

// Vertices in compressed rows.
typedef struct graph {
  int32_t *first; // (nvert + 1)
  int32_t *nbr;   // ascending, the vertex itself included
} graph;

static bool has_hessian(const mi_term *term) {
  return term->law->hessian != NULL;
}

// The terms around each vertex.
static bool list_terms(const mi_assembly *a, mi_arena *scratch, int32_t **first, int32_t **list) {
  size_t total = 0;
  for (int t = 0; t < a->nterm; t++) total += (size_t)a->term[t].stencil.nvert;
  if (total > INT32_MAX) return false;
  *first = MI_PUSH(scratch, int32_t, (size_t)a->nvert + 2);
  *list = MI_PUSH(scratch, int32_t, total);
  if (!*first || !*list) return false;
  int32_t *count = *first + 1; // shifted by one while the lists are filled
  for (int t = 0; t < a->nterm; t++)
    for (int i = 0; has_hessian(a->term + t) && i < a->term[t].stencil.nvert; i++)
      count[a->term[t].vert[i] + 1]++;
  for (int v = 0; v < a->nvert; v++) count[v + 1] += count[v];
  for (int t = 0; t < a->nterm; t++)
    for (int i = 0; has_hessian(a->term + t) && i < a->term[t].stencil.nvert; i++)
      (*list)[count[a->term[t].vert[i]]++] = t;
  return true;
}

static void sort(int32_t *a, int count) { // short lists
  for (int i = 1; i < count; i++) {
    int32_t keep = a[i];
    int j = i;
    for (; j > 0 && a[j - 1] > keep; j--) a[j] = a[j - 1];
    a[j] = keep;
  }
}

// Neighbours of v into `out` (NULL = only count them). mark[w] == v: seen already.
static int gather(const mi_assembly *a, const int32_t *terms, int nterms, int v, int32_t *mark,
                  int32_t *out) {
  int count = 0;
  mark[v] = v;
  if (out) out[0] = v;
  count++;
  for (int k = 0; k < nterms; k++) {
    const mi_term *term = a->term + terms[k];
    for (int i = 0; i < term->stencil.nvert; i++) {
      int w = term->vert[i];
      if (mark[w] == v) continue;
      mark[w] = v;
      if (out) out[count] = w;
      count++;
    }
  }
  if (out) sort(out, count);
  return count;
}

static bool find_neighbours(const mi_assembly *a, mi_arena *scratch, graph *g) {
  int32_t *first, *list, *mark = MI_PUSH(scratch, int32_t, a->nvert);
  g->first = MI_PUSH(scratch, int32_t, (size_t)a->nvert + 1);
  if (!mark || !g->first || !list_terms(a, scratch, &first, &list)) return false;
  size_t total = 0;
  for (int v = 0; v < a->nvert; v++) mark[v] = -1;
  for (int v = 0; v < a->nvert; v++) {
    total += (size_t)gather(a, list + first[v], first[v + 1] - first[v], v, mark, NULL);
    if (9 * total > INT32_MAX) return false;
    g->first[v + 1] = (int32_t)total;
  }
  g->nbr = MI_PUSH(scratch, int32_t, total);
  if (!g->nbr) return false;
  for (int v = 0; v < a->nvert; v++) mark[v] = -1;
  for (int v = 0; v < a->nvert; v++)
    gather(a, list + first[v], first[v + 1] - first[v], v, mark, g->nbr + g->first[v]);
  return true;
}

static int find_block(const graph *g, int row, int column) {
  int low = g->first[row], high = g->first[row + 1] - 1;
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (g->nbr[middle] < column)
      low = middle + 1;
    else
      high = middle;
  }
  return low - g->first[row];
}

static bool lay_out(mi_assembly *a, const graph *g, mi_arena *arena) {
  size_t nblock = (size_t)g->first[a->nvert];
  a->hessian.nrow = 3 * a->nvert;
  a->hessian.first = MI_PUSH(arena, int32_t, 3 * (size_t)a->nvert + 1);
  a->hessian.column = MI_PUSH(arena, int32_t, 9 * nblock);
  a->hessian.value = MI_PUSH(arena, double, 9 * nblock);
  a->diagonal = MI_PUSH(arena, int32_t, 3 * (size_t)a->nvert);
  if (!a->hessian.first || !a->hessian.column || !a->hessian.value || !a->diagonal) return false;
  int32_t at = 0;
  for (int row = 0; row < 3 * a->nvert; row++) {
    int v = row / 3;
    for (int k = g->first[v]; k < g->first[v + 1]; k++)
      for (int c = 0; c < 3; c++, at++) {
        a->hessian.column[at] = 3 * g->nbr[k] + c;
        if (a->hessian.column[at] == row) a->diagonal[row] = at;
      }
    a->hessian.first[row + 1] = at;
  }
  return true;
}

static bool find_places(mi_assembly *a, const graph *g, mi_arena *arena) {
  size_t total = 0;
  a->place_first = MI_PUSH(arena, int32_t, (size_t)a->nterm + 1);
  if (!a->place_first) return false;
  for (int t = 0; t < a->nterm; t++) {
    int n = a->term[t].stencil.nvert;
    total += has_hessian(a->term + t) ? (size_t)(n * n) : 0;
    if (total > INT32_MAX) return false;
    a->place_first[t + 1] = (int32_t)total;
  }
  a->place = MI_PUSH(arena, int32_t, total);
  if (!a->place) return false;
  for (int t = 0; t < a->nterm; t++) {
    const mi_term *term = a->term + t;
    int n = has_hessian(term) ? term->stencil.nvert : 0;
    for (int k = 0; k < n * n; k++)
      a->place[a->place_first[t] + k] = find_block(g, term->vert[k / n], term->vert[k % n]);
  }
  return true;
}

bool mi_assembly_create(int nvert, int nterm, const mi_term *term, mi_arena *arena,
                        mi_arena *scratch, mi_assembly *assembly) {
  graph g;
  memset(assembly, 0, sizeof *assembly);
  assembly->nvert = nvert;
  assembly->nterm = nterm;
  assembly->term = term;
  return nvert <= INT32_MAX / 3 && find_neighbours(assembly, scratch, &g) &&
         lay_out(assembly, &g, arena) && find_places(assembly, &g, arena);
}

static void collect(const mi_term *term, const double *x, double *local) {
  for (int i = 0; i < term->stencil.nvert; i++)
    memcpy(local + 3 * i, x + 3 * (size_t)term->vert[i], 3 * sizeof *x);
}

double mi_term_value(const mi_term *term, const double *x) {
  double local[3 * MI_STENCIL_MOST];
  collect(term, x, local);
  return term->law->value(&term->stencil, local);
}

double mi_assembly_value(const mi_assembly *a, const double *x) {
  double sum = 0;
  for (int t = 0; t < a->nterm; t++) sum += mi_term_value(a->term + t, x);
  return sum;
}

void mi_assembly_gradient(const mi_assembly *a, const double *x, double *gradient) {
  double local[3 * MI_STENCIL_MOST], part[3 * MI_STENCIL_MOST];
  memset(gradient, 0, sizeof *gradient * 3 * (size_t)a->nvert);
  for (int t = 0; t < a->nterm; t++) {
    const mi_term *term = a->term + t;
    collect(term, x, local);
    term->law->gradient(&term->stencil, local, part);
    for (int i = 0; i < 3 * term->stencil.nvert; i++)
      gradient[3 * (size_t)term->vert[i / 3] + (size_t)(i % 3)] += part[i];
  }
}

void mi_assembly_fill_hessian(mi_assembly *a, const double *x, bool project) {
  double local[3 * MI_STENCIL_MOST], part[9 * MI_STENCIL_MOST * MI_STENCIL_MOST];
  memset(a->hessian.value, 0, sizeof(double) * (size_t)a->hessian.first[a->hessian.nrow]);
  for (int t = 0; t < a->nterm; t++) {
    const mi_term *term = a->term + t;
    if (!has_hessian(term)) continue;
    int n = term->stencil.nvert;
    const int32_t *place = a->place + a->place_first[t];
    collect(term, x, local);
    term->law->hessian(&term->stencil, local, project, part);
    for (int i = 0; i < 3 * n; i++) {
      double *row = a->hessian.value + a->hessian.first[3 * term->vert[i / 3] + i % 3];
      for (int j = 0; j < 3 * n; j++)
        row[3 * place[i / 3 * n + j / 3] + j % 3] += part[i * 3 * n + j];
    }
  }
}
