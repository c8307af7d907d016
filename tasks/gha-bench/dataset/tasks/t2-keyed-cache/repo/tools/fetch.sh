#!/bin/sh
# Fetches the lists of tools/lists.lock that .lists lacks. The mirror stands for a slow server.
set -e
mkdir -p .lists
while read -r name version; do
  file=$name-$version.txt
  [ -e ".lists/$file" ] && continue
  cp "tools/mirror/$file" ".lists/$file"
  echo "fetched $name $version"
done < tools/lists.lock
