"""``python -m fumehood_sandbox``: the single-use worker."""

from fumehood_sandbox import worker

worker.main()
