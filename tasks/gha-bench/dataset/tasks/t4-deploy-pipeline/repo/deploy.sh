#!/bin/sh
set -e
mkdir -p "deployed/$1"
cp service.conf "deployed/$1/"
echo "deployed to $1"
