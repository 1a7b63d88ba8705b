# SPDX-License-Identifier: Apache-2.0
# The commands of Twill. CMake and Ninja do the work (CMakePresets.json); this file finds or
# installs what they need, so that each target works on a fresh Debian with git, gcc and make.

PREFIX ?= /usr/local
DESTDIR ?=
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
export JOBS PREFIX DESTDIR

.PHONY: all demo test peers bench soak format install uninstall clean help

all:
	@tools/setup build
	@tools/build release
	@echo "build/bin/twill is ready"

demo:
	@tools/setup build
	@tools/build release
	@build/bin/twill demo

test:
	@tools/setup build test
	@tools/test

soak:
	@tools/setup build test
	@tools/soak

peers:
	@tools/setup build peers
	@tools/build release
	@tools/peers

bench: peers
	@tools/setup bench
	@build/bin/twill bench forkjoin --against all
	@build/bin/twill bench tasks --against all
	@build/bin/twill bench waiting --against all
	@build/bin/twill bench networks --against all
	@build/bin/twill bench sim --against all
	@build/bin/twill bench places --against all

format:
	@tools/setup format
	@tools/format

install:
	@tools/setup build
	@tools/build release
	@tools/install build/release

uninstall:
	@tools/uninstall build/release

clean:
	rm -rf build

help:
	@echo "make           build the library and build/bin/twill"
	@echo "make demo      UTS sequential, on one worker and on all of them"
	@echo "make test      every test: release, sanitizers, clang, serial, aarch64"
	@echo "make peers     install and build the runtimes the benchmarks compare with"
	@echo "make bench     run the benchmarks beside those runtimes"
	@echo "make soak      the tests that take too long for 'make test'"
	@echo "make format    clang-format over all C files"
	@echo "make install   install below PREFIX (now $(PREFIX)), DESTDIR before it"
	@echo "make uninstall remove what was installed last"
	@echo "make clean     remove build/"
