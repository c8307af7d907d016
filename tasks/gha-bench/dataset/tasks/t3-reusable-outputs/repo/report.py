"""Reports a mean."""
import sys

print(f"the snow is {float(sys.argv[1]):g} cm deep")
