#!/bin/sh
# run_test.sh TEST.py: with the first Python that has numpy. 77 = skipped.
for python in python3 /usr/bin/python3; do
  if "$python" -c "import numpy" 2>/dev/null; then
    PYTHONDONTWRITEBYTECODE=1 exec "$python" "$@"
  fi
done
echo "skipped: no python3 with numpy (apt-get install python3-numpy)"
exit 77
