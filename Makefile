# Cleat's build. `make run` and `make test` install what they need; nothing else has to be done by hand.

.PHONY: run check test matrix dist deb bench lint format generate fixture api docs build help

# The directory of its own in which `make run` keeps store, socket, configuration and root.
RUN := $(CURDIR)/run

help:
	@echo 'make run      install what is missing, build, start the agent in ./run (Ctrl-C ends it)'
	@echo 'make check    build, lint, unit tests of what has changed: the minutes after an edit'
	@echo 'make test     what CI runs: one case of each kind, on this machine and on a virtual ARM board'
	@echo 'make matrix   the rest, for hours: every seed, kill loops, power cuts, all of it on boards; writes a table'
	@echo 'make dist     static, optimised programs for aarch64 and x86_64 in .build-cross/out, and their sizes'
	@echo 'make deb      Debian packages and tarballs of these programs in .build-cross/packages; builds those that are missing'
	@echo 'make bench    measure what a board gets next to sqlite3, dconf, git config, mdev; writes Benchmarks/table.md'
	@echo 'make lint     format, imports, what the binaries link'
	@echo 'make format   rewrite the sources in the house style'
	@echo 'make generate write the Swift types of the interfaces from their descriptions'
	@echo 'make api      list the public API of the library in docs/api'
	@echo 'make docs     build the documentation of the library in .build/docs'
	@echo 'make fixture  write the files of this release that later releases must read'

build:
	@.ci/setup build
	swift build -c release --static-swift-stdlib --product cleatd
	swift build -c release --static-swift-stdlib --product cleat
	swift build -c release --static-swift-stdlib --product cleat-location

run: build
	@.ci/start '$(RUN)'

check:
	@.ci/check

test:
	@.ci/setup test
	@.ci/test

matrix:
	@.ci/setup test
	@.ci/setup cross
	@.ci/matrix

dist:
	@.ci/setup cross
	@cross/build aarch64
	@cross/build x86_64

deb:
	@.ci/setup cross
	@for arch in aarch64 x86_64; do [ -x .build-cross/out/$$arch/cleatd ] || cross/build $$arch || exit; done
	@cross/package aarch64 x86_64

bench: build
	@.ci/setup bench
	@.ci/setup cross
	@cross/build $$(uname -m)
	CLEAT_BENCH=1 swift build -c release --static-swift-stdlib --product BenchFiles
	@Benchmarks/run

lint:
	@.ci/setup build
	@.ci/lint

format:
	swift format format --in-place --parallel --recursive Package.swift Sources Tests Tools Benchmarks

generate:
	@.ci/setup build
	@.ci/generate

api:
	@.ci/setup build
	swift build
	@.ci/api

docs:
	@.ci/setup build
	swift build
	@.ci/docs

fixture:
	@.ci/setup build
	@.ci/fixture
