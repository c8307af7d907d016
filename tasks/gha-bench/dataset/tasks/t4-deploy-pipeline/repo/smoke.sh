#!/bin/sh
set -e
grep -q "port" service.conf
echo "staging answers"
