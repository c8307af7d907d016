"""Children on the same tests: what each of their cases is told, and what is made of it."""

import os

from child import Child, watch
from deliver import delivered
from files import Files
from output import Output
from processes import end_descendants, in_sandbox, memory_kills


class Rounds:
    """
    One round: the child goes on at every checkpoint, and has a copy of it raise. Two: two children, one after the other; which
    of them is to raise is drawn. All children are forked at once: all there are in a run, before the first of them begins, since
    what this process has known stays in its memory, forgotten or not. `ended`: as in `watch`.
    """

    def __init__(self, request, rounds, ended):
        self.leftovers = []
        self._request, self._select = request, request["select"]
        self._drawing = self._test = None
        # Case → whether it is to raise in the first round.
        self._raises = {}
        self._ended = ended
        self._held = bytearray()
        self._outputs = [Output(write) for write in (show, self._held.extend)[:rounds]]
        self._children = [Child(request, output, ended) for output in self._outputs]

    @property
    def pids(self):
        return {child.pid for child in self._children}

    def dismiss(self):
        """Where they are not needed."""
        for child in self._children:
            child.dismiss()
        end_descendants(set())

    def restore(self):
        """Puts back what a child may have changed."""
        if self._files:
            self._files.restore()

    def run(self, drawing, spare=frozenset()):
        """The second round only where the first passed. `drawing`: as for `with_choices`. `spare`: processes of other rounds, which wait."""
        self._drawing = drawing
        self._kills_before = memory_kills()
        self._files = Files() if in_sandbox() else None
        for number, child in enumerate(self._children):
            if child is not self.first:
                self.restore()
            waiting = self._children[number + 1 :]
            self._deliver(child)
            watch(child, self._ended, lambda child=child: self._attend(child))
            self.leftovers += end_descendants(spare | {other.pid for other in waiting})
            child.drain()
            if not child.is_complete(self._select):
                for other in waiting:
                    other.dismiss()
                end_descendants(spare)
                return
        if self.rounds > 1:
            child.compare(self.first)

    @property
    def rounds(self):
        return len(self._children)

    @property
    def first(self):
        return self._children[0]

    def are_complete(self):
        return all(child.is_complete(self._select) for child in self._children)

    def was_perhaps_in_the_way_of_itself(self):
        """It did not pass, and some of it ran twice: of what never was copied, that cannot be the reason. Nor after a limit or a crash."""
        child = self.first
        if not child.was_copied or self.are_complete() or child.is_forged or child.was_wrong:
            return False
        return child.stands_still_after_copy or self.is_out_of_memory() or child.status >= 0

    def is_out_of_memory(self):
        return memory_kills() > self._kills_before

    def end_output(self):
        """The second's output follows the first's. Returns how many bytes the one printed that printed more."""
        for output in self._outputs:
            output.end()
        show(bytes(self._held))
        return max(output.size_bytes for output in self._outputs)

    def telling(self):
        """The child whose report is the run's: one that forged, else the first that did not pass, else the last."""
        for child in self._children:
            if child.status is not None and child.is_forged:
                return child
        return next((child for child in self._children if not child.is_complete(self._select)), self._children[-1])

    def _deliver(self, child):
        """Now that the children are there and wait: in no memory of theirs is the test as it came. All get the same."""
        self._test = self._test or delivered(self._request, self._drawing)
        child.deliver(self._request["file"], *self._test)

    def _attend(self, child):
        while (case := child.asked) is not None:
            if self.rounds == 1:
                child.tell_both()
                continue
            # Drawn when it asks, from nothing a child could have seen.
            is_first_to_raise = self._raises.setdefault(case, os.urandom(1)[0] & 1 == 1)
            child.tell(is_first_to_raise == (child is self.first))
        if child.stands_still_after_copy:
            child.kill()


def show(data):
    """On this process's standard error."""
    while data:
        data = data[os.write(2, data) :]
