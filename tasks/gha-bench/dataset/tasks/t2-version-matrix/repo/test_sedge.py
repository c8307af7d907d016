import unittest

from sedge import blades


class Blades(unittest.TestCase):
    def test_blades(self) -> None:
        self.assertEqual(blades(2), 80)
