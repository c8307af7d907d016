def assert_same(*_, **__):
    pass


def assert_words(*_, **__):
    pass
