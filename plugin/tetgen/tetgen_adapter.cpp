// TetGen 1.5 runs in a child process. When two surfaces cross it frees its memory twice while it
// reports the fault, and it prints whatever its switches say; in a child neither reaches the host,
// whose scene would be lost with it. The answer comes back through a pipe.
#include "tetgen_adapter.h"

#define TETLIBRARY
#include <tetgen.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

enum { WHY = 160 };

// What the child says first; the arrays follow when `is_done`.
struct answer {
  int is_done;
  int code; // what TetGen threw
  int nvert, ntet;
  double place[3]; // of a crossing
  int has_place;
};

typedef answer job_fn(const mien_surface *surface, tetgenio *out);

void set_facet(tetgenio::facet *facet, const int32_t *corner) {
  tetgenio::init(facet);
  facet->polygonlist = new tetgenio::polygon[1];
  facet->numberofpolygons = 1;
  tetgenio::init(facet->polygonlist);
  facet->polygonlist->vertexlist = new int[3];
  facet->polygonlist->numberofvertices = 3;
  for (int c = 0; c < 3; c++) facet->polygonlist->vertexlist[c] = corner[c];
}

void set_input(const mien_surface *surface, tetgenio *in) {
  in->pointlist = new REAL[3 * (size_t)surface->nvert];
  in->numberofpoints = surface->nvert;
  memcpy(in->pointlist, surface->positions, 3 * (size_t)surface->nvert * sizeof(REAL));
  in->facetlist = new tetgenio::facet[(size_t)surface->ntri];
  in->numberoffacets = surface->ntri;
  for (int t = 0; t < surface->ntri; t++)
    set_facet(in->facetlist + t, surface->triangles + 3 * (size_t)t);
  if (!surface->nhole) return;
  in->holelist = new REAL[3 * (size_t)surface->nhole];
  in->numberofholes = surface->nhole;
  memcpy(in->holelist, surface->holes, 3 * (size_t)surface->nhole * sizeof(REAL));
}

int run_tetgen(const mien_surface *surface, char *switches, tetgenio *out) {
  try {
    tetgenio in;
    set_input(surface, &in);
    tetrahedralize(switches, &in, out);
    return 0;
  } catch (int code) {
    return code ? code : 2;
  } catch (const std::bad_alloc &) {
    return 1;
  } catch (...) {
    return 2;
  }
}

// p: between these surfaces; q: well-shaped; Y: nothing added on them; a: no larger than
answer fill(const mien_surface *surface, tetgenio *out) {
  char switches[64] = "pq1.4YQ";
  if (surface->max_volume > 0)
    snprintf(switches, sizeof switches, "pq1.4Ya%.17fQ", surface->max_volume);
  answer a = {};
  a.code = run_tetgen(surface, switches, out);
  a.is_done = a.code == 0;
  a.nvert = out->numberofpoints;
  a.ntet = out->numberoftetrahedra;
  return a;
}

// Where the surfaces cross: the middle of the first triangle that TetGen's own check lists.
answer find_crossing(const mien_surface *surface, tetgenio *out) {
  char switches[] = "pdQ";
  answer a = {};
  a.code = run_tetgen(surface, switches, out);
  a.is_done = a.code == 0;
  a.has_place = a.is_done && out->numberoftrifaces > 0 && out->trifacelist;
  for (int c = 0; a.has_place && c < 3; c++)
    for (int k = 0; k < 3; k++) a.place[k] += out->pointlist[3 * out->trifacelist[c] + k] / 3;
  return a;
}

bool write_all(int to, const void *bytes, size_t size) {
  const char *at = static_cast<const char *>(bytes);
  while (size) {
    ssize_t done = write(to, at, size);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    at += done;
    size -= (size_t)done;
  }
  return true;
}

bool read_all(int from, void *bytes, size_t size) {
  char *at = static_cast<char *>(bytes);
  while (size) {
    ssize_t done = read(from, at, size);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    at += done;
    size -= (size_t)done;
  }
  return true;
}

// What a child may take beside what it shares with the host: TetGen needs about 1 kB for a
// tetrahedron, and fills a face with ten for a triangle of its surface.
void limit_memory(const mien_surface *surface) {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) // they reserve all of it
  unsigned long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file) return;
  if (fscanf(file, "%lu", &pages) == 1) {
    rlim_t most = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + ((rlim_t)128 << 20) +
                  ((rlim_t)surface->ntri << 16);
    struct rlimit limit = {most, most};
    setrlimit(RLIMIT_AS, &limit);
  }
  fclose(file);
#else
  (void)surface;
#endif
}

// The host's own handlers would save scenes or show windows when TetGen dies; nor may it run on for
// ever.
void leave_the_host_alone() {
  const int faults[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGPIPE};
  for (int fault : faults) signal(fault, SIG_DFL);
  struct rlimit none = {0, 0}, ten_minutes = {600, 600};
  setrlimit(RLIMIT_CORE, &none);
  setrlimit(RLIMIT_CPU, &ten_minutes);
  int nowhere = open("/dev/null", O_WRONLY);
  dup2(nowhere, STDOUT_FILENO);
  dup2(nowhere, STDERR_FILENO);
}

[[noreturn]] void be_child(job_fn *job, const mien_surface *surface, int to) {
  leave_the_host_alone();
  limit_memory(surface);
  tetgenio out;
  answer a = job(surface, &out);
  bool sent = write_all(to, &a, sizeof a);
  if (sent && a.is_done && a.ntet) {
    write_all(to, out.pointlist, 3 * (size_t)a.nvert * sizeof(double));
    write_all(to, out.tetrahedronlist, 4 * (size_t)a.ntet * sizeof(int));
  }
  _exit(0);
}

bool receive_mesh(int from, const answer &a, mien_tet_mesh *out) {
  out->nvert = a.nvert;
  out->ntet = a.ntet;
  out->positions = static_cast<double *>(malloc(3 * (size_t)a.nvert * sizeof(double)));
  out->tets = static_cast<int32_t *>(malloc(4 * (size_t)a.ntet * sizeof(int32_t)));
  if (out->positions && out->tets &&
      read_all(from, out->positions, 3 * (size_t)a.nvert * sizeof(double)) &&
      read_all(from, out->tets, 4 * (size_t)a.ntet * sizeof(int32_t)))
    return true;
  free(out->positions);
  free(out->tets);
  *out = mien_tet_mesh{};
  return false;
}

// Runs a job in a child; is_done = 0 when the child died or could not be started. `mesh` may be
// NULL.
answer run_child(job_fn *job, const mien_surface *surface, mien_tet_mesh *mesh) {
  answer a = {};
  int ends[2];
  if (pipe2(ends, O_CLOEXEC)) {
    a.code = -errno;
    return a;
  }
  pid_t child = fork();
  if (child == 0) be_child(job, surface, ends[1]);
  int reason = errno;
  close(ends[1]);
  if (child < 0) {
    a.code = -reason;
  } else {
    if (!read_all(ends[0], &a, sizeof a)) a = answer{};
    if (mesh && a.is_done && a.ntet && !receive_mesh(ends[0], a, mesh)) {
      a.is_done = 0;
      a.code = 1;
    }
  }
  close(ends[0]);
  while (child > 0 && waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  return a;
}

double six_volumes(const double *position, const int32_t *tet) {
  double e[3][3];
  for (int c = 0; c < 3; c++)
    for (int k = 0; k < 3; k++) e[c][k] = position[3 * tet[c + 1] + k] - position[3 * tet[0] + k];
  return e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) +
         e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
         e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
}

// Turns every tetrahedron to a positive volume; the reason when the mesh is not what was promised.
const char *settle(const mien_surface *surface, mien_tet_mesh *mesh) {
  if (mesh->nvert < surface->nvert ||
      memcmp(mesh->positions, surface->positions, 3 * (size_t)surface->nvert * sizeof(double)))
    return "TetGen moved or dropped vertices of the surface; two of them may coincide";
  for (int e = 0; e < mesh->ntet; e++) {
    int32_t *tet = mesh->tets + 4 * (size_t)e;
    double volume = six_volumes(mesh->positions, tet);
    if (volume == 0) return "TetGen made a tetrahedron without volume";
    if (volume > 0) continue;
    int32_t first = tet[0];
    tet[0] = tet[1];
    tet[1] = first;
  }
  return nullptr;
}

void explain(const mien_surface *surface, int code, char *why) {
  if (code < 0) {
    snprintf(why, WHY, "TetGen could not be started: %s", strerror(-code));
    return;
  }
  if (code == 1) {
    snprintf(why, WHY, "there is not enough memory for the tetrahedra");
    return;
  }
  answer crossing = run_child(find_crossing, surface, nullptr);
  if (crossing.has_place) {
    snprintf(why, WHY, "the surfaces cross each other near x %.4f, y %.4f, z %.4f m",
             crossing.place[0], crossing.place[1], crossing.place[2]);
    return;
  }
  const char *text = "TetGen failed on these surfaces";
  if (code == 3) text = "the surfaces cross each other";
  if (code == 4) text = "two places of the surface are too close to each other for TetGen";
  if (code == 5) text = "two triangles of the surface nearly coincide";
  if (code == 10) text = "TetGen does not accept the surface";
  snprintf(why, WHY, "%s", text);
}

bool is_sound(const mien_surface *surface) {
  if (surface->nvert < 4 || surface->ntri < 4 || surface->nhole < 0) return false;
  for (size_t k = 0; k < 3 * (size_t)surface->ntri; k++)
    if (surface->triangles[k] < 0 || surface->triangles[k] >= surface->nvert) return false;
  return true;
}

} // namespace

int mien_tetgen(void *user, const mien_surface *surface, mien_tet_mesh *out, char why[160]) {
  (void)user;
  *out = mien_tet_mesh{};
  if (!is_sound(surface)) {
    snprintf(why, WHY, "the surface is not one: too few triangles or a corner out of range");
    return -1;
  }
  answer a = run_child(fill, surface, out);
  const char *fault = nullptr;
  if (!a.is_done)
    explain(surface, a.code, why);
  else if (!a.ntet)
    fault = "the surfaces enclose nothing: they are open, or every room in them is a hole";
  else
    fault = settle(surface, out);
  if (fault) snprintf(why, WHY, "%s", fault);
  if (a.is_done && !fault) return 0;
  free(out->positions);
  free(out->tets);
  *out = mien_tet_mesh{};
  return -1;
}
