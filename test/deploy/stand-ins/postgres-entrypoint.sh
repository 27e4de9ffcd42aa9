#!/bin/bash
# What the documentation of the image docker.io/library/postgres says about its start, as far as compose.yaml needs it: POSTGRES_USER,
# POSTGRES_DB, POSTGRES_PASSWORD_FILE, POSTGRES_INITDB_ARGS and /docker-entrypoint-initdb.d make a cluster in an empty folder, with a server
# that answers on its socket alone; then the real one starts, as the user postgres. It was written from that text, not copied.
set -euo pipefail

if [ "$(id -u)" = 0 ]; then
  mkdir -p "$PGDATA"
  chown -R postgres:postgres /var/lib/postgresql
  chmod 700 "$PGDATA"
  exec setpriv --reuid=postgres --regid=postgres --init-groups "$0" "$@"
fi

if [ ! -s "$PGDATA/PG_VERSION" ]; then
  # The arguments are several words.
  # shellcheck disable=SC2086
  initdb --pgdata="$PGDATA" --username="$POSTGRES_USER" --auth-host=scram-sha-256 --auth-local=trust \
    --pwfile="$POSTGRES_PASSWORD_FILE" $POSTGRES_INITDB_ARGS
  printf 'host all all all scram-sha-256\n' >> "$PGDATA/pg_hba.conf"
  printf "listen_addresses = '*'\nunix_socket_directories = '/var/run/postgresql'\n" >> "$PGDATA/postgresql.conf"
  pg_ctl --pgdata="$PGDATA" --wait --options="-c listen_addresses=''" start
  psql -v ON_ERROR_STOP=1 -U "$POSTGRES_USER" -d postgres -v name="$POSTGRES_DB" <<< 'create database :"name"'
  for file in /docker-entrypoint-initdb.d/*.sh; do
    if [ -x "$file" ]; then "$file"; else . "$file"; fi
  done
  pg_ctl --pgdata="$PGDATA" --mode=fast --wait stop
  echo 'PostgreSQL init process complete; ready for start up.'
fi

exec "$@"
