"""Our stand-ins for the common fixtures of the pinned release's conftest, with the values an ordinary run gives them."""

import numpy as np
import pytest


@pytest.fixture(params=[42])
def global_random_seed(request):
    return request.param


@pytest.fixture(params=[np.float64])
def global_dtype(request):
    return request.param
