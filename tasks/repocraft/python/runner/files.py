"""Everything a child can write to, as it is before the first: the next one finds it so again, and nothing it was left."""

import os
import shutil

WRITABLE = ("/work", "/tmp", "/dev/shm")


class Files:
    def __init__(self):
        self._files = {}
        for place in WRITABLE:
            for folder, _, names in os.walk(place):
                for name in names:
                    with open(os.path.join(folder, name), "rb") as file:
                        self._files[file.name] = file.read()

    def restore(self):
        for place in WRITABLE:
            for folder, folders, _ in os.walk(place):
                for name in folders:
                    if not os.path.islink(os.path.join(folder, name)):
                        os.chmod(os.path.join(folder, name), 0o700)
            for entry in list(os.scandir(place)):
                if entry.is_dir(follow_symlinks=False):
                    shutil.rmtree(entry.path, ignore_errors=True)
                else:
                    os.unlink(entry.path)
        for path, data in self._files.items():
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(data)
