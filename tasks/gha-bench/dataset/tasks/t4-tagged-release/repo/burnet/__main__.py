import sys

from burnet import VERSION, mow

print(f"burnet {VERSION}" if sys.argv[1:] == ["--version"] else mow(int(sys.argv[1])))
