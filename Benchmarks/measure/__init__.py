"""The parts of `Benchmarks/run` and `Benchmarks/exact`: services, peers, floors, and what is measured of them."""
