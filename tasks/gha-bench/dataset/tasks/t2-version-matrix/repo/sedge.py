"""Counts blades of grass."""


def blades(tufts: int) -> int:
    return tufts * 40
