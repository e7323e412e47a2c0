"""The parts of `.ci/check`, `.ci/test` and `.ci/matrix`: commands, steps, suites."""
