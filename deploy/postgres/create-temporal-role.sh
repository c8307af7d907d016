#!/bin/sh
# Runs once, when the database volume is new: Temporal gets a role of its own, which may create its two databases and
# cannot read Durabench's.
set -eu
psql --set=ON_ERROR_STOP=1 --username="$POSTGRES_USER" --dbname="$POSTGRES_DB" \
  --set=password="$TEMPORAL_DB_PASSWORD" --set=database="$POSTGRES_DB" <<'SQL'
create role temporal login createdb password :'password';
revoke connect on database :"database" from public;
SQL
