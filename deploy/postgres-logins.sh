#!/bin/sh
# Run once by the PostgreSQL image on its empty folder. Two logins: inlet_owner (POSTGRES_USER) migrates, inlet does the work and
# can change no structure.
set -eu
psql -v ON_ERROR_STOP=1 -v "password=$(cat /run/secrets/runtime-password)" -U "$POSTGRES_USER" -d "$POSTGRES_DB" <<'SQL'
create role inlet_runtime nologin;
create role inlet login password :'password' in role inlet_runtime;
SQL
