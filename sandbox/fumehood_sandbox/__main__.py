"""``python -m fumehood_sandbox SECONDS``: the single-use worker."""

from fumehood_sandbox import worker

worker.main()
