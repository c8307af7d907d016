"""Our stand-ins for the plainest fixtures of the pinned release's conftest: parameters everybody knows (a test compares both)."""

import pytest
from pandas import DataFrame, Index, Series


@pytest.fixture(params=[0, 1, "index", "columns"])
def axis(request):
    return request.param


@pytest.fixture(params=[1, "columns"])
def axis_1(request):
    return request.param


@pytest.fixture(params=[True, False, None])
def observed(request):
    return request.param


@pytest.fixture(params=[True, False, None])
def ordered(request):
    return request.param


@pytest.fixture(params=[True, False])
def skipna(request):
    return request.param


@pytest.fixture(params=["first", "last", False])
def keep(request):
    return request.param


@pytest.fixture(params=["both", "neither", "left", "right"])
def inclusive_endpoints_fixture(request):
    return request.param


@pytest.fixture(params=["left", "right", "both", "neither"])
def closed(request):
    return request.param


@pytest.fixture(params=["inner", "outer", "left", "right"])
def join_type(request):
    return request.param


@pytest.fixture(params=["nlargest", "nsmallest"])
def nselect_method(request):
    return request.param


@pytest.fixture(params=[DataFrame, Series])
def frame_or_series(request):
    return request.param


@pytest.fixture(params=[Index, Series])
def index_or_series(request):
    return request.param
