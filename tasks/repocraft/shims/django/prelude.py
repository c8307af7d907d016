# Settings, an in-memory database and an application for the models of this file, as the library's own test runner makes them.
import sys as _sys

import pytest as _pytest
import django as _django
from django.apps import AppConfig as _AppConfig
from django.apps import apps as _apps
from django.conf import settings as _settings
from django.db import connection as _connection
from django.db.backends import sqlite3 as _sqlite3

if not _settings.configured:
    _database = {"ENGINE": _sqlite3.__name__, "NAME": ":memory:"}
    _settings.configure(
        ALLOWED_HOSTS=["*"],
        DATABASES={"default": _database, "other": dict(_database)},
        DEFAULT_AUTO_FIELD=f"{_django.__name__}.db.models.AutoField",
        INSTALLED_APPS=[],
        SECRET_KEY="a test is no secret",
        TEMPLATES=[{"BACKEND": f"{_django.__name__}.template.backends.django.DjangoTemplates"}],
        USE_TZ=False,
    )
    _django.setup()

_module = _sys.modules[__name__]
_own_app = _AppConfig(__name__, _module)
if _own_app.label not in _apps.app_configs:
    _own_app.apps, _own_app.models_module, _own_app.models = _apps, _module, _apps.all_models[_own_app.label]
    _apps.app_configs[_own_app.label] = _own_app
    _apps.clear_cache()


@_pytest.fixture(scope="module", autouse=True)
def _own_tables():
    models = [model for model in _own_app.get_models(include_auto_created=False) if model._meta.managed and not model._meta.proxy]
    if models:
        with _connection.schema_editor() as editor:
            for model in models:
                editor.create_model(model)
    yield
