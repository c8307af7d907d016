"""Prints the mean of a station's readings, in centimetres."""
import json
import sys

with open("readings.json", encoding="utf-8") as file:
    readings = json.load(file)[sys.argv[1]]
if not readings:
    sys.exit(f"no readings of {sys.argv[1]}")
print(f"{sum(readings) / len(readings):g}")
