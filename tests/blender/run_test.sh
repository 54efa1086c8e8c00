#!/bin/sh
# run_test.sh TEST.py: inside Blender, with settings of its own. 77 = skipped.
if ! command -v blender >/dev/null; then
  echo "skipped: blender is not installed"
  exit 77
fi
. "$(dirname "$0")/has_numpy.sh"
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
BLENDER_USER_CONFIG=$home/config BLENDER_USER_SCRIPTS=$home/scripts \
  BLENDER_USER_EXTENSIONS=$home/extensions PYTHONDONTWRITEBYTECODE=1 TMPDIR=$home \
  timeout "${MIEN_TIMEOUT:-1180}" blender -b --factory-startup --python-exit-code 1 \
  --python-expr "$has_numpy" -P "$@"
