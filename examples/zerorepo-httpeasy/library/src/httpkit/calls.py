"""One call for one request, without a client to keep."""

from httpkit.sessions import Session

# -- calls


def send_request(method, url, **options):
    """Make one request of any method and return the reply: address, parameters, data, headers, cookies, files, credentials, time limit.

    >>> send_request.__name__
    'send_request'
    """
    with Session() as session:
        return session.request(method=method, url=url, **options)


def send_get(url, params=None, **more):
    """Send a GET request: ask for a resource.

    >>> send_get.__name__
    'send_get'
    """
    return send_request("GET", url, params=params, **more)


def send_options(url, **more):
    """Send an OPTIONS request: ask what can be done.

    >>> send_options.__name__
    'send_options'
    """
    return send_request("OPTIONS", url, **more)


def send_head(url, **more):
    """Send a HEAD request: ask for headers alone; redirects are not followed.

    >>> send_head.__name__
    'send_head'
    """
    settings = {"allow_redirects": False, **more}
    return send_request("HEAD", url, **settings)


def send_post(url, data=None, json=None, **more):
    """Send a POST request: hand something in.

    >>> send_post.__name__
    'send_post'
    """
    return send_request("POST", url, data=data, json=json, **more)


def send_put(url, data=None, **more):
    """Send a PUT request: store something.

    >>> send_put.__name__
    'send_put'
    """
    return send_request("PUT", url, data=data, **more)


def send_patch(url, data=None, **more):
    """Send a PATCH request: change a part.

    >>> send_patch.__name__
    'send_patch'
    """
    return send_request("PATCH", url, data=data, **more)


def send_delete(url, **more):
    """Send a DELETE request: take something away.

    >>> send_delete.__name__
    'send_delete'
    """
    return send_request("DELETE", url, **more)
