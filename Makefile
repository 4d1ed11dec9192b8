# SPDX-License-Identifier: Apache-2.0
# Short names for what CMake does; see CMakePresets.json.
JOBS ?= 2

all: build/CMakeCache.txt
	@cmake --build --preset release -j $(JOBS)

build/CMakeCache.txt:
	@cmake --preset release

demo: all
	@mkdir -p build/demo
	build/actio list
	build/actio run disk -o build/demo/disk.csv --plot build/demo/disk.svg
	build/actio test disk

test:
	@python3 tools/test.py --jobs $(JOBS)

sanitize:
	@cmake --preset sanitize && cmake --build --preset sanitize -j $(JOBS)
	@ctest --test-dir build/sanitize -j $(JOBS) --output-on-failure

bench: all
	@cmake --build --preset release --target bench

fuzz:
	@python3 tools/test.py --only fuzz --seconds 600

web:
	@python3 tools/test.py --only web

clean:
	rm -rf build

.PHONY: all demo test sanitize bench fuzz web clean
