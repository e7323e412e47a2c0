"""What `.ci/test` is made of: commands with time limits, and what each part of the run counts."""
