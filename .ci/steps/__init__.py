"""What `.ci/check`, `.ci/test` and `.ci/matrix` consist of: commands, steps, suites."""
