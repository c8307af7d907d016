#!/bin/sh
# Prints the lock of Debian packages and of all they need, for a debian.lock.txt beside a recipe. In a container of the base image:
#   docker run --rm -i -u 0 IMAGE sh -s jq <deploy/images/lock-debian.sh >debian.lock.txt
set -e
apt-get -qq update >&2
# As if nothing were installed: it fits whatever base has whatever of them already.
apt-get install --print-uris -qq -y --no-install-recommends -o Dir::State::status=/dev/null "$@" |
  while read -r _ file _; do
    name=${file%%_*}
    version=$(echo "$file" | cut -d _ -f 2 | sed 's/%3a/:/g')
    hash=$(apt-cache show "$name=$version" | sed -n 's/^SHA256: //p' | head -n 1)
    echo "$name=$version $hash"
  done | sort
