#!/bin/sh
# Builds one component.
echo "built $1"
