#!/bin/sh
# Creates Temporal's two databases and brings their schemas to the release of this image. Safe to run again: databases
# that exist are kept, and only newer schema versions are applied.
set -eu
tool() { temporal-sql-tool --plugin "$SQL_PLUGIN" --ep "$SQL_HOST" --port "$SQL_PORT" --user "$SQL_USER" --db "$@"; }

for pair in 'temporal temporal' 'temporal_visibility visibility'; do
  # shellcheck disable=SC2086 # two words on purpose: database and schema
  set -- $pair
  tool "$1" create --defaultdb postgres
  tool "$1" setup-schema -v 0.0
  tool "$1" update-schema --schema-name "postgresql/v12/$2"
done
