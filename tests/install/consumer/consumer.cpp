#include <mien/mien.h>

#include <cstdio>
#include <memory>

int main(int argc, char **argv) {
  mien_rig *raw = nullptr;
  mien_error err;
  if (argc != 2 || mien_rig_load(argv[1], nullptr, &raw, &err) < 0) return 1;
  std::unique_ptr<mien_rig, decltype(&mien_rig_free)> rig(raw, mien_rig_free);
  std::printf("%d shapes\n", mien_rig_get_info(rig.get())->nshape);
  return mien_rig_get_info(rig.get())->nshape > 0 ? 0 : 1;
}
