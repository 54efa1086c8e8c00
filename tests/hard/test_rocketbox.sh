#!/bin/sh
# test_rocketbox.sh MIEN HARD_CHECK SOURCE FOLDER NAME TAKE/WAY...: a game avatar, where it is on this
# machine, imported and judged. Exit code 77 = skipped, with the reason said.
set -eu
mien=$1 check=$2 source=$3 folder=$4 name=$5
shift 5
fbx=${MIEN_SHARED_DATA:-$source/../shared/data}/rocketbox/${name}_facial.fbx
if [ ! -e "$fbx" ]; then
  echo "SKIPPED: the shared rig '$name' is not on this machine ($fbx)"
  exit 77
fi
mkdir -p "$folder"
"$mien" import "$fbx" -o "$folder/$name.glb" >/dev/null 2>&1 || {
  echo "the avatar '$name' is there and cannot be imported"
  exit 1
}
exec "$check" "$folder/$name.glb" "$@"
