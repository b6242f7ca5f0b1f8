"""``python -I -B -m fumehood_sandbox``: the single-use worker."""

from fumehood_sandbox.worker import main

main()
