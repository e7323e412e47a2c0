"""The Swift test suites as one static program for a board, with all that they need beside it."""
