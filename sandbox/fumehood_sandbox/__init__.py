"""What runs inside the container.

This side of the wall reads documents. It never imports ``fumehood``; the host imports only ``contract`` and ``frames``
from here (tests/unit/test_wall.py).
"""
