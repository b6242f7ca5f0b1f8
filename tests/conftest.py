"""For all tests: the signals that they send mean what they mean to a program that a person started.

A run in the background of a shell, or under nohup(1), inherits SIGINT or SIGHUP as ignored, and every child of it would.
"""

import signal


def pytest_configure():
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
