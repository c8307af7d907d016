import unittest

from burnet import mow


class Mow(unittest.TestCase):
    def test_late(self) -> None:
        self.assertEqual(mow(3), "mow")

    def test_early(self) -> None:
        self.assertEqual(mow(60), "wait")
