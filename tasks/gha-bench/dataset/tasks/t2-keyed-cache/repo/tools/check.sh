#!/bin/sh
# Every word of the glossary is in one of the lists.
set -e
while read -r name version; do
  test -e ".lists/$name-$version.txt" || { echo "$name $version is not there"; exit 1; }
done < tools/lists.lock
while read -r word; do
  grep -qx "$word" .lists/*.txt || { echo "nobody knows $word"; exit 1; }
done < glossary.txt
echo "checked $(wc -l < glossary.txt) words"
