#!/bin/sh
# run_window.sh TEST.py [ARGS]: inside Blender with its window, on a screen in memory. 77 = skipped.
for program in blender Xvfb xvfb-run; do
  if ! command -v $program >/dev/null; then
    echo "skipped: $program is not installed (apt-get install blender xvfb xauth libgl1-mesa-dri)"
    exit 77
  fi
done
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
script=$1
shift
BLENDER_USER_CONFIG=$home/config BLENDER_USER_SCRIPTS=$home/scripts LIBGL_ALWAYS_SOFTWARE=1 \
  BLENDER_USER_EXTENSIONS=$home/extensions PYTHONDONTWRITEBYTECODE=1 TMPDIR=$home \
  timeout "${MIEN_TIMEOUT:-1180}" xvfb-run -a -s "-screen 0 1280x800x24" \
  blender --factory-startup --enable-event-simulate --window-geometry 0 0 ${MIEN_WINDOW:-800 600} \
  --python-exit-code 1 -P "$script" -- "$@"
