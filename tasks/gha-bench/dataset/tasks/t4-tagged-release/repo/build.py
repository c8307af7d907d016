"""Builds dist/burnet.pyz for a tag."""
import pathlib
import shutil
import sys
import zipapp

from burnet import VERSION

if sys.argv[1] != f"v{VERSION}":
    sys.exit(f"{sys.argv[1]} is not v{VERSION}")
work = pathlib.Path("build")
shutil.rmtree(work, ignore_errors=True)
shutil.copytree("burnet", work / "burnet", ignore=shutil.ignore_patterns("__pycache__"))
(work / "__main__.py").write_text("import burnet.__main__\n")
pathlib.Path("dist").mkdir(exist_ok=True)
zipapp.create_archive(work, "dist/burnet.pyz")
print(f"built burnet.pyz for {sys.argv[1]}")
