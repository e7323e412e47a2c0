"""The targets of on-target tests: a virtual board, a board behind ssh, or this machine.

The directory `cross` is on `sys.path`: `from target.target import Target`, `from target.opening import open_target`.
"""
