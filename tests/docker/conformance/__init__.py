"""What any engine with any runtime must do for `fumehood.sandbox`, as a list that is run against each."""

import pytest

pytest.register_assert_rewrite("conformance.checks")
