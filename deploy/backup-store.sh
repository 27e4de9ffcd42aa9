#!/bin/sh
# A program for INLET_BACKUP_TO=command:/path/to/backup-store.sh /mnt/store
# Inlet calls it as: FOLDER put NAME (bytes on standard input), FOLDER get NAME (bytes on standard output),
# FOLDER list PREFIX (one name a line), FOLDER delete NAME. Exit code 0 means done; the last line of standard error is
# shown to the operator. A file must be there whole or not at all, and a get of what is missing must fail.
# For object storage remove the line with cd and replace the four branches, for example by these of rclone:
#   put) rclone rcat "$store/$name" ;;
#   get) rclone cat "$store/$name" ;;
#   list) rclone lsf --recursive --files-only "$store" ;;
#   delete) rclone deletefile "$store/$name" ;;
set -eu
store=$1 verb=$2 name=${3-}
cd "$store" # Fails where the disk is not mounted.
case $verb in
  put)
    mkdir -p "$(dirname "$name")"
    cat > "$name.part"
    sync "$name.part"
    mv "$name.part" "$name"
    ;;
  get) cat "$name" ;;
  list) find . -type f ! -name '*.part' | sed 's|^\./||' ;;
  delete) rm -f "$name" ;;
  *) echo "unknown verb $verb" >&2 && exit 2 ;;
esac
