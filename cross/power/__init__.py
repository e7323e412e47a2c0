"""Power cuts: a disk that loses what was not flushed, the replay of its log, and real kill-and-reboot cycles.

The directory `cross` is on `sys.path`: `from power.nbd import NBDServer`.
"""
