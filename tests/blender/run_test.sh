#!/bin/sh
# run_test.sh TEST.py: inside Blender, with settings of its own. 77 = skipped.
if ! command -v blender >/dev/null; then
  echo "skipped: blender is not installed"
  exit 77
fi
if ! blender -b --factory-startup --python-exit-code 9 --python-expr "import numpy" >/dev/null 2>&1; then
  echo "skipped: Blender has no numpy (apt-get install python3-numpy)"
  exit 77
fi
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
BLENDER_USER_CONFIG=$home/config BLENDER_USER_SCRIPTS=$home/scripts \
  BLENDER_USER_EXTENSIONS=$home/extensions PYTHONDONTWRITEBYTECODE=1 TMPDIR=$home \
  timeout 280 blender -b --factory-startup --python-exit-code 1 -P "$@"
