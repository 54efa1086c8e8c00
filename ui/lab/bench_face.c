// Building flesh under the sample heads.
#include "bench.h"

#include <stdio.h>

typedef struct subject {
  mien_rig *rig;
  mien_host host;
} subject;

static int attach(void *user) {
  subject *s = user;
  mien_face *face = NULL;
  mien_face_def def;
  mien_face_def_init(&def);
  def.use_stored = 0;
  mien_result result = mien_face_create(s->rig, &def, &s->host, &face, NULL);
  mien_face_free(face);
  return result < 0;
}

static int measure(bench *b, const char *file, const char *id, const char *what, double target) {
  subject s;
  s.rig = cli_load_rig(bench_args(b), cli_sample(file));
  if (!s.rig) return CLI_FAILED;
  mien_host_init(&s.host);
  s.host.threads = 1;
  double one = bench_time(b, attach, &s);
  bench_add(b, (bench_row){id, what, one, 0, NULL, target});
  if (!bench_is_quick(b)) {
    s.host.threads = 0;
    double all = bench_time(b, attach, &s);
    bench_add(b, (bench_row){"", "  the same on all threads", all, one, "one thread", 0});
  }
  mien_rig_free(s.rig);
  return CLI_DONE;
}

int bench_face(bench *b) {
  int code = measure(b, "head.glb", "P18", "build the 14k / 44k face, one thread", 1);
  if (code || bench_is_quick(b)) return code;
  code = measure(b, "head_small.glb", "", "build a face of 10k tetrahedra, one thread", 0);
  if (!code)
    code = measure(b, "head_large.glb", "", "build a face of 300k tetrahedra, one thread", 0);
  return code;
}
