#!/bin/sh
# Registers the namespace and its search attributes; safe to run again. The same as src/stack/servers/namespace.ts does for the
# built-in server (a test compares the two lists).
# Environment: TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE, RETENTION (a duration such as 720h)
set -eu

# A health check that passes says only that the port is open.
tries=0
until temporal operator cluster health >/dev/null 2>&1; do
  tries=$((tries + 1))
  [ "$tries" -lt 60 ] || { echo "Temporal at $TEMPORAL_ADDRESS does not answer" >&2; exit 1; }
  sleep 1
done

temporal operator namespace describe --namespace "$TEMPORAL_NAMESPACE" >/dev/null 2>&1 ||
  temporal operator namespace create --namespace "$TEMPORAL_NAMESPACE" --retention "$RETENTION" \
    --description 'Durabench campaigns'

attribute() {
  tries=0
  # A new namespace takes a moment to reach every part of the server.
  until temporal operator search-attribute list --namespace "$TEMPORAL_NAMESPACE" 2>/dev/null | grep -qw "$1"; do
    tries=$((tries + 1))
    [ "$tries" -lt 60 ] || { echo "search attribute $1 could not be added" >&2; exit 1; }
    temporal operator search-attribute create --namespace "$TEMPORAL_NAMESPACE" --name "$1" --type "$2" || sleep 1
  done
}
attribute DurabenchCampaign Keyword
attribute DurabenchSuite Keyword
attribute DurabenchSystem Keyword
attribute DurabenchTask Keyword
attribute DurabenchOutcome Keyword
attribute DurabenchBlame Keyword
attribute DurabenchCostUsd Double
echo "namespace $TEMPORAL_NAMESPACE is ready"
