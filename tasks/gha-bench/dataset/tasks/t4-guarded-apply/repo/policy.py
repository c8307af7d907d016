"""Checks that each bucket is closed to the public."""
import pathlib
import re
import sys

text = "\n".join(path.read_text() for path in sorted(pathlib.Path(sys.argv[1]).glob("*.tf")))
buckets = re.findall(r'resource "aws_s3_bucket" "(\w+)"', text)
closed = re.findall(r'resource "aws_s3_bucket_public_access_block" "(\w+)"', text)
for name in buckets:
    if name not in closed or "block_public_access = false" in re.sub(r" +", " ", text):
        sys.exit(f"the bucket {name} is open to the public")
print(f"{len(buckets)} buckets are closed")
