"""The Swift test suites as one static program for a board, with the programs and files that they use."""
