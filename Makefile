# SPDX-License-Identifier: Apache-2.0
# Short names for what CMake does; see CMakePresets.json.
JOBS ?= 2

all: setup build/CMakeCache.txt
	@cmake --build --preset release -j $(JOBS)

# Missing Debian packages, by name; without the right to install them the build goes on with what is there.
setup:
	@tools/setup.sh || echo "setup: going on with what is here"

build/CMakeCache.txt: | setup
	@cmake --preset release

demo: all
	@mkdir -p build/demo
	build/actio list
	build/actio run disk -o build/demo/disk.csv --plot build/demo/disk.svg
	build/actio test disk

test: setup
	@python3 tools/test.py --jobs $(JOBS)

sanitize: setup
	@cmake --preset sanitize && cmake --build --preset sanitize -j $(JOBS)
	@ctest --test-dir build/sanitize -j $(JOBS) --output-on-failure

# Every model with its picture on one page: build/gallery/index.md
gallery: all
	@tools/gallery.sh build/actio build/gallery

# Figures 2 to 4 of Rothkopf and Horowitz: build/figures
figures: all
	@sh tools/figures.sh build/actio build/figures

bench: all
	@cmake --build --preset release --target bench

fuzz: setup
	@python3 tools/test.py --only fuzz --seconds 600

web:
	@tools/setup.sh --web || echo "setup: going on with what is here"
	@python3 tools/test.py --only web

clean:
	rm -rf build

.PHONY: all setup demo gallery figures test sanitize bench fuzz web clean
