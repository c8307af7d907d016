/**
 * What is run in a container when a command has ended, as the command's user: without a capability nobody else can read what it locked.
 * It is not forged, since everything that user runs is ended first and nobody is left but this shell; programs come from the
 * image, which cannot be written, and names end with a NUL. `/tmp` goes, sockets and pipes go. Prints the names that had to be opened,
 * an empty word, then for each name its facts and the target of a link, and `end`. Then reads, twice, a number of bytes in a line and
 * so many bytes of paths: for the first it prints sha-256 and path of each, and `end`; for the second a tar.
 * $1: so many names deep it looks. Exit status 71: something cannot be ended. Until nobody else is left it starts no process, not even
 * to wait: those that end still fill the container.
 */
export const READER = `
export LC_ALL=C
alone() {
  for each in /proc/[0-9]*; do
    [ "$each" != "/proc/$$" ] || continue
    while read -r name uid rest; do
      [ "$name" = Uid: ] || continue
      [ "$uid" != "$user" ] || return 1
      break
    done <"$each/status"
  done
} 2>/dev/null
while read -r name uid rest; do [ "$name" != Uid: ] || user=$uid; done </proc/$$/status
seconds() { read -r now rest </proc/uptime; now=\${now%%.*}; }
seconds
until=$((now + 10))
while kill -KILL -1 2>/dev/null; ! alone; do
  seconds
  [ $now -lt $until ] || exit 71
done
wipe() { find /tmp /dev/shm -mindepth 1 -delete 2>/dev/null; }
wipe || { find /tmp /dev/shm -mindepth 1 -type d ! -perm -700 -execdir chmod u+rwx {} \\; 2>/dev/null || true; wipe; }
cd /work || exit 1
depth=$1
pass=0
while :; do
  pass=$((pass + 1))
  find . -mindepth 1 -maxdepth "$depth" \\
    -type d ! -perm -700 -printf '%p\\0%m\\0' -fprintf /tmp/locks.$pass '%m %p\\0' -exec chmod u+rwx {} + -prune , \\
    \\( -type s -o -type p \\) -exec rm -f {} + || exit 1
  [ -s /tmp/locks.$pass ] || break
done
find . -mindepth 1 -maxdepth "$depth" \\
  -type f ! -perm -400 -printf '%p\\0%m\\0' -fprintf /tmp/locks.0 '%m %p\\0' -exec chmod u+r {} + || exit 1
printf '\\0'
find . -mindepth 1 -maxdepth "$depth" -printf '%y %m %s %T@ %C@ %i %P\\0%l\\0' || exit 1
printf 'end\\0'
lock() {
  cut -z -d ' ' -f 1 "$1" | sort -zu | tr '\\0' '\\n' | while read -r mode; do
    grep -az "^$mode " "$1" | cut -z -d ' ' -f 2- | xargs -0r chmod "$mode"
  done
}
again() {
  lock /tmp/locks.0
  while [ $pass -gt 0 ]; do lock /tmp/locks.$pass; pass=$((pass - 1)); done
  exit "$1"
}
read -r bytes || again 0
head -c "$bytes" | xargs -0r sha256sum -z -- || again 1
printf 'end\\0'
read -r bytes || again 0
[ "$bytes" = 0 ] || head -c "$bytes" | tar -cf - --no-recursion --null -T - || again 1
again 0`;

/** Unpacks the tar that is its input into the empty `/work`, and goes on as the reader, which then has no more to read. */
export const RESTORER = `
tar -xpf - -C /work --delay-directory-restore || exit 72
${READER}`;
