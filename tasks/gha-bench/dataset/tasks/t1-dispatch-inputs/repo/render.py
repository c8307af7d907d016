"""Says which map would be rendered."""
import sys

region, scale = sys.argv[1], float(sys.argv[2])
print(f"map of the {region} at {scale:g}")
