# SPDX-License-Identifier: Apache-2.0
# Short names for what CMake does; see CMakePresets.json.
JOBS ?= 2
PREFIX ?= /usr/local
DESTDIR ?=
MAKEFLAGS += --no-print-directory

all: configure
	@cmake --build --preset release -j $(JOBS) --target product

# Missing Debian packages, by name; without the right to install them the build goes on with what is there.
setup:
	@tools/setup.sh || echo "setup: going on with what is here"
setup-test:
	@tools/setup.sh --test || echo "setup: going on with what is here"

# Every time: libraries that were installed since then are found.
configure: setup
	@mkdir -p build && rm -f build/configure.log && cmake --preset release $(CONFIGURE) > build/configure.log 2>&1 || { cat build/configure.log; exit 1; }
	@sed -n 's/^-- \([A-Z0-9]*\): AUTO, not found$$/\1/p' build/configure.log | tr '\n' ' ' | \
	    sed 's/\(.*\) $$/Without \1: tools\/setup.sh --libraries installs these optional libraries.\n/'

demo: configure
	@cmake --build --preset release -j $(JOBS) --target actio
	@sh tools/demo.sh build/actio build/demo

# PREFIX=/usr/local DESTDIR=
install: CONFIGURE = -DCMAKE_INSTALL_PREFIX='$(PREFIX)'
install: all
	@DESTDIR='$(DESTDIR)' sh tools/install.sh build '$(PREFIX)'

uninstall:
	@DESTDIR='$(DESTDIR)' sh tools/install.sh --remove '$(PREFIX)'

test: setup-test
	@python3 tools/test.py --jobs $(JOBS)

sanitize: setup-test
	@cmake --preset sanitize && cmake --build --preset sanitize -j $(JOBS)
	@ctest --test-dir build/sanitize -j $(JOBS) --output-on-failure

# Every model with its picture on one page: build/gallery/index.md
gallery: all
	@tools/gallery.sh build/actio build/gallery

# Figures 2 to 4 of Rothkopf and Horowitz: build/figures
figures: all
	@sh tools/figures.sh build/actio build/figures

bench: setup-test
	@$(MAKE) configure
	@cmake --build --preset release -j $(JOBS) --target bench

# Random motions against references of 106 bits: FROM=1 COUNT=1000
FROM ?= 1
COUNT ?= 1000
truth: setup-test
	@$(MAKE) configure
	@cmake --build --preset release -j $(JOBS) --target product truth
	@/usr/bin/python3 tests/truth/measure.py --from $(FROM) --count $(COUNT) --jobs $(JOBS)

fuzz: setup-test
	@python3 tools/test.py --only fuzz --seconds 600

web:
	@tools/setup.sh --web || echo "setup: going on with what is here"
	@python3 tools/test.py --only web

clean:
	rm -rf build

.PHONY: all setup setup-test configure demo install uninstall gallery figures test sanitize bench truth fuzz web clean
