"""Our stand-in for the common fixture of the pinned release's conftest."""

import numpy as np
import pytest


@pytest.fixture
def reset_randomstate():
    """The global generator, seeded with 1 for the test and put back after it."""
    state = np.random.get_state()
    np.random.seed(1)
    yield
    np.random.set_state(state)
