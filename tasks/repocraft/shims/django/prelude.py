# Settings, an in-memory database and applications (the usual ones and one for the models of this file), as the library's own test runner makes them.
import sys as _sys
from importlib.util import find_spec as _find_spec

import pytest as _pytest
import django as _django
from django.apps import AppConfig as _AppConfig
from django.apps import apps as _apps
from django.conf import settings as _settings
from django.db import connection as _connection
from django.db.backends import sqlite3 as _sqlite3


# No name here may be one that a test imports (`models`, `path`): what is bound twice cannot be adapted.
def _contrib(*_places):
    # What another library has none of is not installed.
    _paths = [f"{_django.__name__}.contrib.{_place}" for _place in _places if _find_spec(f"{_django.__name__}.contrib")]
    return [_path for _path in _paths if _find_spec(".".join(_path.split(".")[:3]))]


if not _settings.configured:
    _database = {"ENGINE": _sqlite3.__name__, "NAME": ":memory:"}
    _settings.configure(
        ALLOWED_HOSTS=["*"],
        DATABASES={"default": _database, "other": dict(_database)},
        DEFAULT_AUTO_FIELD=f"{_django.__name__}.db.models.AutoField",
        INSTALLED_APPS=_contrib("contenttypes", "auth", "sites", "sessions", "messages", "admin.apps.SimpleAdminConfig"),
        MIDDLEWARE=_contrib(
            "sessions.middleware.SessionMiddleware", "auth.middleware.AuthenticationMiddleware", "messages.middleware.MessageMiddleware"
        ),
        PASSWORD_HASHERS=_contrib("auth.hashers.MD5PasswordHasher"),
        ROOT_URLCONF=__name__,
        SECRET_KEY="a test is no secret",
        SITE_ID=1,
        STATIC_URL="static/",
        TEMPLATES=[{"BACKEND": f"{_django.__name__}.template.backends.django.DjangoTemplates", "APP_DIRS": True}],
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
    _every = [_model for _app in _apps.get_app_configs() for _model in _app.get_models()]
    _there = set(_connection.introspection.table_names())
    with _connection.schema_editor() as _editor:
        for _model in _every:
            if _model._meta.managed and not _model._meta.proxy and _model._meta.db_table not in _there:
                _editor.create_model(_model)
    yield
