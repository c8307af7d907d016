"""Everything a child can write to, as it is before the first: the next one finds it so again, and nothing it was left."""

import os
import shutil
import subprocess

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
        empty()
        for path, data in self._files.items():
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(data)


def empty():
    """Removes everything, whatever its permissions and however deep; OSError where that cannot be done."""
    if not emptied_quickly() and not emptied_thoroughly():
        # Without its names, which the candidate has chosen.
        raise OSError("what the run before has left cannot be removed")
    for place in WRITABLE:
        os.utime(place)  # When something was last put there is told no more.


def emptied_quickly():
    try:
        for place in WRITABLE:
            for entry in list(os.scandir(place)):
                if entry.is_dir(follow_symlinks=False):
                    shutil.rmtree(entry.path)
                else:
                    os.unlink(entry.path)
    except (OSError, RecursionError):
        return False
    return True


def emptied_thoroughly():
    below = ["find", *WRITABLE, "-mindepth", "1"]
    # Locked folders one by one, each before it is gone into, and by its own name: paths may be longer than the system takes.
    for what in (["-type", "d", "!", "-perm", "-700", "-execdir", "chmod", "u+rwx", "{}", ";"], ["-delete"]):
        ended = subprocess.run([*below, *what], stderr=subprocess.DEVNULL)
    return ended.returncode == 0
