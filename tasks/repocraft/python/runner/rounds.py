"""Two children on the same tests: what each of their cases is told, and what is made of both."""

import os
import shutil
import time

from child import Child, watch
from deliver import delivered
from files import WRITABLE
from output import Output
from processes import end_descendants, in_sandbox, memory_kills

# A test that has computed for so long has the processor to itself: beside each other both would only take twice as long.
ALONE_AFTER_CPU_SECONDS = 1.0
# It does compute, and not wait, when it has used so much of the time between two looks, or would if it were let.
BUSY_SHARE = 0.1
LOOK_SECONDS = 0.5


class Rounds:
    """
    Both children are forked before anything is drawn. `are_beside`: each gets folders of its own. `forget`: what a child is
    to do with the parent's knowledge of the test, where there is some from an earlier run.
    """

    def __init__(self, request, are_beside, forget=lambda: None):
        self.are_beside = are_beside
        self.leftovers = []
        self.kills_before = memory_kills()
        self._request, self._select = request, request["select"]
        self._test = None
        # Case → whether it is to raise in the first round.
        self._raises = {}
        self._looked_at, self._used = time.monotonic(), 0.0
        self._ended = {}
        held = bytearray()
        self._outputs = [Output(show), Output(held.extend)]
        self._held = held
        places = [own_places(request, number) if are_beside else (request, None) for number in (1, 2)]
        self.first, self.second = (
            Child(place, output, self._ended, temporary, forget)
            for (place, temporary), output in zip(places, self._outputs, strict=True)
        )
        self._shared = changes_of_shared()

    @property
    def own_folders(self):
        return {os.path.dirname(child.folder) for child in (self.first, self.second)} if self.are_beside else set()

    def forget(self):
        self._test = self.first.choices = self.second.choices = None

    def keep_draw_of(self, other):
        """The same values are hidden in the same order: of two draws only the right ones would be the same."""
        self._test = other._test

    def run_beside_each_other(self):
        self._deliver(self.first)
        self._deliver(self.second)
        if in_sandbox():
            os.unlink(os.path.join(self._request["folder"], self._request["file"]))
        watch([self.first, self.second], self._ended, self._attend_both)
        self.leftovers += end_descendants(set())
        self.first.drain()
        self.second.drain()
        if self.first.is_complete(self._select):
            self.second.compare(self.first)

    def run_one_after_the_other(self, restore):
        """`restore` puts back what the first may have changed. The second runs only where the first passed."""
        self._deliver(self.first)
        watch([self.first], self._ended, lambda: self._tell(self.first))
        self.leftovers += end_descendants({self.second.pid})
        self.first.drain()
        if not self.first.is_complete(self._select):
            self.second.dismiss()
            end_descendants(set())
            return
        restore()
        self._deliver(self.second)
        watch([self.second], self._ended, lambda: self._tell(self.second))
        self.leftovers += end_descendants(set())
        self.second.drain()
        self.second.compare(self.first)

    def are_complete(self):
        return self.first.is_complete(self._select) and self.second.is_complete(self._select)

    def were_perhaps_in_each_others_way(self):
        """Only one of the two passed, or they came to different cases, or memory ran out, or both failed and they met; and nobody forged anything."""
        if self.are_complete() or self.first.is_forged or self.second.is_forged:
            return False
        if self.first.is_complete(self._select) or self.second.is_complete(self._select) or self.is_out_of_memory():
            return True
        return self._met()

    def _met(self):
        """Where there is no trace of it, what failed twice fails alone as well, and need not be tried. Nor after a limit or a crash."""
        if self.first.status < 0:
            return False
        return self.first.was_refused or self.second.was_refused or changes_of_shared() != self._shared

    def is_out_of_memory(self):
        return memory_kills() > self.kills_before

    def end_output(self):
        """The second's output follows the first's. Returns how many bytes the one printed that printed more."""
        for output in self._outputs:
            output.end()
        show(bytes(self._held))
        return max(output.size_bytes for output in self._outputs)

    def telling(self):
        """The child whose report is the run's: one that forged, else the first that did not pass, else the second."""
        for child in (self.first, self.second):
            if child.status is not None and child.is_forged:
                return child
        return self.second if self.first.is_complete(self._select) else self.first

    def _deliver(self, child):
        """Now that the children are there and wait: in no memory of theirs is the test as it came. Both get the same."""
        self._test = self._test or delivered(self._request)
        child.deliver(self._request["file"], *self._test)

    def _tell(self, child):
        """Drawn when it asks, from nothing a child could have seen."""
        while (case := child.asked) is not None:
            is_first_to_raise = self._raises.setdefault(case, os.urandom(1)[0] & 1 == 1)
            child.tell(is_first_to_raise == (child is self.first))

    def _attend_both(self):
        self._tell_both()
        self.first.end_group_if_over()
        self.second.end_group_if_over()
        if self.first.status is None:
            self._pace()
        elif self.first.status < 0:
            self.second.kill()  # A time limit, mostly: another such run would prove nothing.
        else:
            self.second.pause(False)

    def _pace(self):
        """The second stands still while the first computes. Not while it waits, perhaps for the second."""
        now = time.monotonic()
        if now - self._looked_at < LOOK_SECONDS:
            return
        used = self.first.cpu_seconds
        is_busy = self.first.is_runnable or used - self._used > BUSY_SHARE * (now - self._looked_at)
        self._looked_at, self._used = now, used
        self.second.pause(is_busy and used > ALONE_AFTER_CPU_SECONDS)

    def _tell_both(self):
        """Nobody is told of a case before both are at its end: else one might learn of the other what it will be told."""
        for child, other in ((self.first, self.second), (self.second, self.first)):
            case = child.asked
            if case is None:
                continue
            if case in self._raises or other.asked == case:
                self._tell(child)
            elif other.is_past(case):
                child.tell(False)  # No pass any more, whatever it is told.


def own_places(request, number):
    """A round's own copy of the test's folder, under the same name, and its own folder for temporary files."""
    parent, name = os.path.split(request["folder"])
    folder = os.path.join(parent, f"round-{number}", name)
    shutil.copytree(request["folder"], folder)
    temporary = f"/tmp/round-{number}" if in_sandbox() else None
    if temporary is not None:
        os.mkdir(temporary, 0o700)
    return {**request, "folder": folder}, temporary


def changes_of_shared():
    """When a file was last made or taken away in each folder that is of both rounds."""
    return [os.stat(place).st_mtime_ns for place in WRITABLE] if in_sandbox() else []


def show(data):
    """On this process's standard error."""
    while data:
        data = data[os.write(2, data) :]
