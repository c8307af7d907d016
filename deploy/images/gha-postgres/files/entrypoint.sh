#!/bin/bash
set -e
export PGDATA=${PGDATA:-/var/lib/postgresql/data}
[ "$1" = postgres ] || exec "$@"
user=${POSTGRES_USER:-postgres}
database=${POSTGRES_DB:-$user}
method=${POSTGRES_HOST_AUTH_METHOD:-scram-sha-256}
mkdir -p "$PGDATA" /run/postgresql
chown -R postgres:postgres "$PGDATA" /run/postgresql
chmod 700 "$PGDATA"
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  if [ -z "$POSTGRES_PASSWORD" ] && [ "$method" != trust ]; then
    echo "Error: Database is uninitialized and superuser password is not specified." >&2
    exit 1
  fi
  printf %s "${POSTGRES_PASSWORD:-unused}" >/tmp/password
  chown postgres /tmp/password
  su postgres -c "initdb -U '$user' --pwfile=/tmp/password -A $method ${POSTGRES_INITDB_ARGS:-} -N" >/dev/null
  rm /tmp/password
  sed -i 's/^local .*all .*all .*/local all all trust/' "$PGDATA/pg_hba.conf"
  echo "host all all all $method" >>"$PGDATA/pg_hba.conf"
  if [ "$database" != postgres ]; then
    echo "CREATE DATABASE \"$database\"" | su postgres -c "postgres --single -E -F -D '$PGDATA' postgres" >/dev/null
  fi
fi
shift
exec su postgres -c "exec postgres -D '$PGDATA' -c listen_addresses='*' -c fsync=off $*"
