#!/bin/sh
# Applies every migration, in order.
set -e
[ "$PGUSER $PGDATABASE" = 'picker bilberry' ] || { echo "not as $PGUSER in $PGDATABASE"; exit 1; }
for file in migrations/*.sql; do
  psql --quiet --no-psqlrc --set ON_ERROR_STOP=1 --file "$file"
  echo "applied ${file##*/}"
done
