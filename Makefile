# make         build the tool at build/tacit
# make demo    install what is missing, build, fit Adult at epsilon = 1 and verify the model
# make test    install what is missing, build, run the tests
# make check   test, plus the long statistical tests and the sanitizers; make check-long, check-faults, check-fuzz, check-asan, check-tsan
#              and check-tidy run one stage each (scripts/check lists them all)
# make docs    build the book at build/book/index.html
# make wheel   build a wheel of the Python package that carries its libraries, and try it (PYTHON=python3.13 for another)
# make deb     build the Debian packages in build/debian
# make image   build a container image in build/image, and run the demo in it
# make hooks   check the format before each commit
# make install headers, library, tool and CMake package under PREFIX (default /usr/local)

PREFIX ?= /usr/local

.PHONY: all build everything demo test check docs wheel deb image install clean format tidy hooks
all: build

# Configures build/ by a preset of CMakePresets.json: `tool` for the tool alone, `test` for what tests need,
# `release` for everything.
configure = cmake --preset $(1) > build.log 2>&1 || { cat build.log; rm -f build.log; exit 1; }; rm -f build.log

quick_tests = ctest --test-dir build --output-on-failure -LE long -j 2

build:
	@scripts/setup tool
	@$(call configure,tool)
	@cmake --build build --target tacit_cli

demo: build
	@scripts/demo

# Experiments and benchmarks are compiled by `make check` alone.
test:
	@scripts/setup test
	@$(call configure,test)
	@cmake --build build
	@$(quick_tests)

everything:
	@scripts/setup test
	@$(call configure,release)
	@cmake --build build

check: everything
	@$(quick_tests)
	@scripts/setup check
	@scripts/check

check-%: everything
	@scripts/setup check
	@scripts/check $*

docs:
	@scripts/setup docs
	@scripts/docs

wheel:
	@scripts/setup wheel
	@scripts/wheel

deb:
	@scripts/setup deb
	@scripts/deb

image: build
	@scripts/setup image
	@scripts/image

install: build
	@cmake --install build --prefix $(PREFIX)

format:
	@git ls-files '*.cpp' '*.hpp' | xargs clang-format -i

hooks:
	@ln -sf ../../scripts/hooks/pre-commit "$$(git rev-parse --git-path hooks)/pre-commit"

tidy:
	@scripts/setup check
	@scripts/tidy

clean:
	@rm -rf build build-pip
