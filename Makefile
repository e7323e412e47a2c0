# Cleat's build. `make run` and `make test` install what they need; nothing else has to be done by hand.

.PHONY: run test bench lint format build help

# The directory of its own in which `make run` keeps store, socket, configuration and root.
RUN := $(CURDIR)/run

help:
	@echo 'make run      install what is missing, build, start the agent in ./run (Ctrl-C ends it)'
	@echo 'make test     everything that CI runs: lint, tests on this machine and on a virtual ARM board, power cuts'
	@echo 'make bench    measure against sqlite3, dconf, git config, mdev; prints a table'
	@echo 'make lint     format, imports, what the binaries link'
	@echo 'make format   rewrite the sources in the house style'

build:
	@.ci/setup build
	swift build -c release --static-swift-stdlib --product cleatd
	swift build -c release --static-swift-stdlib --product cleat

run: build
	@.ci/start '$(RUN)'

test:
	@.ci/setup test
	@.ci/test

bench: build
	@.ci/setup bench
	@Benchmarks/run

lint:
	@.ci/setup build
	@.ci/lint

format:
	swift format format --in-place --parallel --recursive Package.swift Sources Tests Benchmarks
