#!/bin/sh
set -e
test -s service.conf
echo "tests passed"
