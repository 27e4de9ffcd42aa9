#!/bin/sh
# Makes what compose.yaml needs and nobody has to think up: the master key, the passwords of the database, and .env with your domain.
#   sh deploy/make-secrets.sh pay.example.com
# Nothing that exists is changed. Keep a copy of secrets/master.key apart from the backups of the database.
set -eu
domain=${1:?"the name that customers see, such as pay.example.com"}
cd "$(dirname "$0")"
umask 077
mkdir -p secrets
random() { head -c 32 /dev/urandom | base64 | tr -d '\n'; }
password() { head -c 24 /dev/urandom | od -An -tx1 | tr -d ' \n'; }
keep() { [ -e "secrets/$1" ] || printf '%s\n' "$2" > "secrets/$1"; }
keep master.key "$(random)"
keep owner-password "$(password)"
keep runtime-password "$(password)"
keep owner-url "postgres://inlet_owner:$(cat secrets/owner-password)@postgres:5432/inlet"
keep runtime-url "postgres://inlet:$(cat secrets/runtime-password)@postgres:5432/inlet"
# The folder is closed to other users of this machine. The files are open, because in their containers the users are others.
chmod 700 secrets
chmod 644 secrets/*
[ -e .env ] || printf 'INLET_DOMAIN=%s\n' "$domain" > .env
