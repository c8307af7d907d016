"""Our stand-in for the helpers of the pinned release's `utils._testing`; nothing of the library is needed for them (a test compares both)."""

import functools
import warnings

import numpy as np
import scipy.sparse
from numpy.testing import assert_allclose as numpy_assert_allclose
from numpy.testing import assert_array_equal


def assert_allclose(actual, desired, rtol=None, atol=0.0, equal_nan=True, err_msg="", verbose=True):
    """numpy's, with a relative tolerance of 1e-4 where one side has 32 bits and 1e-7 otherwise."""
    actual, desired = np.asanyarray(actual), np.asanyarray(desired)
    if rtol is None:
        rtol = 1e-4 if np.float32 in (actual.dtype, desired.dtype) else 1e-7
    numpy_assert_allclose(actual, desired, rtol=rtol, atol=atol, equal_nan=equal_nan, err_msg=err_msg, verbose=verbose)


def assert_allclose_dense_sparse(x, y, rtol=1e-07, atol=1e-9, err_msg=""):
    """Both dense or both sparse; sparse ones must have their values in the same places."""
    if scipy.sparse.issparse(x) != scipy.sparse.issparse(y):
        raise ValueError("Can only compare two sparse matrices, not a sparse matrix and an array.")
    if not scipy.sparse.issparse(x):
        assert_allclose(x, y, rtol=rtol, atol=atol, err_msg=err_msg)
        return
    x, y = x.tocsr(), y.tocsr()
    x.sum_duplicates()
    y.sum_duplicates()
    assert_array_equal(x.indices, y.indices, err_msg=err_msg)
    assert_array_equal(x.indptr, y.indptr, err_msg=err_msg)
    assert_allclose(x.data, y.data, rtol=rtol, atol=atol, err_msg=err_msg)


def ignore_warnings(obj=None, category=Warning):
    """Silences warnings of a category: a decorator with or without arguments, or a context manager."""
    if isinstance(obj, type) and issubclass(obj, Warning):
        raise ValueError("'obj' should be a callable. Use 'category' to name a warning.")
    return Silence(category)(obj) if callable(obj) else Silence(category)


class Silence:
    def __init__(self, category):
        self.category = category

    def __call__(self, function):
        @functools.wraps(function)
        def silent(*args, **kwargs):
            with Silence(self.category):
                return function(*args, **kwargs)

        return silent

    def __enter__(self):
        self.caught = warnings.catch_warnings()
        self.caught.__enter__()
        warnings.simplefilter("ignore", self.category)

    def __exit__(self, *raised):
        self.caught.__exit__(*raised)


def set_random_state(estimator, random_state=0):
    if "random_state" in estimator.get_params():
        estimator.set_params(random_state=random_state)


def _convert_container(container, constructor_name, columns_name=None, dtype=None, **options):
    """The plain and the sparse containers a test asks for by name; tables of other libraries are not here."""
    if options.pop("minversion", None) or any(options.values()):
        raise NotImplementedError(constructor_name)
    if constructor_name in ("list", "tuple"):
        made = np.asarray(container, dtype=dtype).tolist() if dtype is not None else container
        return tuple(made) if constructor_name == "tuple" else list(made)
    if constructor_name == "array":
        return np.asarray(container, dtype=dtype)
    if constructor_name == "slice":
        return slice(container[0], container[1])
    if constructor_name in ("sparse", "sparse_csr"):
        return scipy.sparse.csr_matrix(np.atleast_2d(container), dtype=dtype)
    named = {f"sparse_{kind}": kind for kind in ("csr_matrix", "csr_array", "csc_matrix", "csc_array")}
    if constructor_name == "sparse_csc":
        return scipy.sparse.csc_matrix(np.atleast_2d(container), dtype=dtype)
    if constructor_name in named:
        return getattr(scipy.sparse, named[constructor_name])(np.atleast_2d(container), dtype=dtype)
    raise NotImplementedError(constructor_name)
