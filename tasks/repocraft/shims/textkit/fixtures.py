"""Fixtures for tests of textkit: they need none."""
