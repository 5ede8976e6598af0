# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What tests, demo and bench are made of, and their targets.  GNUmakefile
# includes it; all names are those from there.

test_c      := $(wildcard tests/c/test_*.c)

# pprof's own description of the format: what only tests read and write with
proto_o     := $(O)/obj/gen/profile.pb-c.o
test_o      := $(test_c:%.c=$(O)/obj/%.o)
tests       := $(test_c:tests/c/%.c=$(O)/tests/%)
# what adds up the figures of a profile without the reducer
figures     := $(O)/tests/figures
# what makes the profiles of golden/profiles.txt
profiles    := $(O)/tests/write_profile

# What only some tests need: packages.sh has a list of each name.
$(packages)-%: FORCE | $(packages)
	@runtime-patch/packages.sh $@ $*

## The C tests.
$(top)/gen/profile.pb-c.c: tests/foreign/profile.proto | $(packages)
	@mkdir -p $(@D)
	$(call quiet,PROTOC,$<)protoc-c --proto_path=$(<D) --c_out=$(@D) $<

$(top)/gen/profile.pb-c.h: $(top)/gen/profile.pb-c.c ;

# Generated code is not held to our warnings.
$(proto_o): $(top)/gen/profile.pb-c.c $(O)/flags
	@mkdir -p $(@D)
	$(call quiet,CC,$<)$(call compile,-w)

$(O)/obj/tests/%.o: tests/%.c $(O)/flags | $(top)/gen/profile.pb-c.h $(ecl_key)
	@mkdir -p $(@D)
	$(call quiet,CC,$<)$(call compile,$(ecl_flags) $(warnings) -I$(top)/gen)

tests: $(tests) $(figures) $(profiles)

$(O)/tests/test_monitor_%: $(O)/obj/tests/c/test_monitor_%.o $(monitor_o) $(reduce_o) $(proto_o)
	@mkdir -p $(@D)
	$(call quiet,LINK,$@)$(CC) $(SANITIZE) $(CFLAGS) $(LDFLAGS) -o $@ $^ \
	  -L$(ecl)/lib -Wl,-rpath,$(ecl)/lib -lecl -lgc -lcmocka \
	  $(monitor_libs) $(reduce_libs) -lprotobuf-c

# Those of the monitor of C programs take only the parts that they test: what
# takes the place of malloc stays out.
$(R)/obj/malloc/parts.a: $(malloc_o)
	@rm -f $@ && ar rcs $@ $^

$(O)/tests/test_malloc_%: $(O)/obj/tests/c/test_malloc_%.o $(R)/obj/malloc/parts.a
	@mkdir -p $(@D)
	$(call quiet,LINK,$@)$(CC) $(SANITIZE) $(CFLAGS) $(LDFLAGS) -o $@ $^ \
	  -lcmocka

$(O)/tests/test_%: $(O)/obj/tests/c/test_%.o $(reduce_o) $(proto_o)
	@mkdir -p $(@D)
	$(call quiet,LINK,$@)$(CC) $(SANITIZE) $(CFLAGS) $(LDFLAGS) -o $@ $^ \
	  -lcmocka $(reduce_libs) -lprotobuf-c

$(figures): $(O)/obj/tests/malloc/figures.o $(proto_o)
	@mkdir -p $(@D)
	$(call quiet,LINK,$@)$(CC) $(SANITIZE) $(CFLAGS) $(LDFLAGS) -o $@ $^ \
	  -lprotobuf-c -lz

$(profiles): $(O)/obj/tests/c/write_profile.o $(proto_o)
	@mkdir -p $(@D)
	$(call quiet,LINK,$@)$(CC) $(SANITIZE) $(CFLAGS) $(LDFLAGS) -o $@ $^ \
	  -lprotobuf-c -lz

# It stands in front of what it lets fail.
$(O)/tests/test_failing_memory: private LDFLAGS += \
  $(addprefix -Wl$(comma)--wrap=,malloc calloc realloc strdup strndup)

# Only for make check-fuzz: its variant knows -fsanitize=fuzzer.
fuzz_o      := $(O)/obj/tests/fuzz/fuzz_reader.o

$(O)/bin/fuzz-reader: $(fuzz_o) $(reduce_o) $(proto_o)
	@mkdir -p $(@D)
	$(call quiet,LINK,$@)$(CC) $(SANITIZE) -fsanitize=fuzzer $(CFLAGS) \
	  $(LDFLAGS) -o $@ $^ $(reduce_libs) -lprotobuf-c

.SECONDARY: $(test_o)
-include $(patsubst %.o,%.d,$(proto_o) $(test_o) $(fuzz_o)) \
  $(addprefix $(O)/obj/tests/,malloc/figures.d c/write_profile.d)

## Other builds of ECL.
# Without patches, but otherwise the same: what bench compares with.
$(top)/reference-work/key: FORCE | $(ecl_key)
	@runtime-patch/build-ecl.sh $(reference) $(top)/reference-work \
	  $(download) $(facts) ""

## Targets.  Scripts find what was built through these.
# SHORT=1 is what .ci/run asks for.  KEPT_CACHE is for Lisp code that
# ECL compiles.
short    := $(filter 1,$(SHORT))
test_env = MPROF=$(O)/bin/mprof ECL=$(top)/bin/ecl BUILD=$(O) \
  MPROF_LIB=$(O)/lib XDG_CACHE_HOME=$(or $(KEPT_CACHE),$(top)/cache) TESTS='$(tests)' \
  RELEASE=$(ECL) \
  HEADERS='$(headers)' HEADER_FLAGS='$(subst ','\'',$(header_flags))'

checked := headers c lisp cli malloc recover exact embedding unwind random everyday
check: all tests $(foreach list,allocators everyday unwind,$(packages)-$(list)) ## run all tests; the last line is `N passed, N failed'
	@$(test_env) tests/run-tests.sh $(checked)

check-long: ## all that .ci/run leaves out or does in part, before a release; hours
	@.ci/run long

check-flaky: all tests $(foreach list,allocators everyday unwind,$(packages)-$(list)) ## the same 30 times beside busy loops; NAMED ones 300 times
	@$(test_env) CHECKED='$(checked)' tests/flaky.sh

check-c: tests ## the C tests, and every header compiled alone
	@$(test_env) tests/run-tests.sh headers c

check-lisp: all ## the FiveAM tests
	@$(test_env) tests/run-tests.sh lisp

check-thrown: all ## 10,000 throws out of Lisp forms of mprof, and killed threads
	@$(test_env) THROWS=1000 tests/run-tests.sh lisp/thrown

check-cli: all $(profiles) ## the tests of the command mprof
	@$(test_env) tests/run-tests.sh cli

check-recover: all ## killed programs, each kind KILLS times [1000], and damaged files
	@$(test_env) KILLS=$(or $(KILLS),1000) DAMAGES=2000 TEST_TIMEOUT=7200 \
	  tests/run-tests.sh recover

check-programs: all $(figures) $(packages)-programs ## other people's C programs, against valgrind; minutes
	@$(test_env) TEST_TIMEOUT=3600 tests/run-tests.sh programs

soak: all $(figures) ## threads, forks and unloading at once; six minutes, SECONDS_OF_SOAK
	@$(test_env) TEST_TIMEOUT=10000 tests/run-tests.sh soak

check-malloc: all $(figures) $(packages)-allocators ## C programs whose totals are known by hand
	@$(test_env) tests/run-tests.sh malloc

# Programs whose figures depend on the release of ECL.
exact_short := c-exits calls clos depth finalizers interrupts names numbers \
  threads types

check-exact: all $(packages)-unwind ## programs whose totals are known by hand
	@$(test_env) $(if $(short),EXACT_PROGRAMS='$(addsuffix .lisp,$(exact_short))') \
	  tests/run-tests.sh exact$(if $(short),/run)

check-embedding: all ## Lisp code in programs and libraries
	@$(test_env) tests/run-tests.sh embedding

check-unwind: all $(packages)-unwind ## a debugger and shadow stacks
	@$(test_env) tests/run-tests.sh unwind

check-everyday: all $(packages)-everyday ## what people do, in terminals, folders and locales as they have
	@$(test_env) tests/run-tests.sh everyday

check-random: all ## random programs that predict their profiles
	@$(test_env) tests/run-tests.sh random

check-patch: all ## ECL's own tests on the patched ECL, profiling off and on
	@$(test_env) tests/run-tests.sh patch

check-off: $(packages) ## ECL with its options off is ECL unpatched; builds both
	@runtime-patch/check-off.sh $(top)/off $(download) $(facts) $(series)

check-folder: all $(packages)-everyday ## build it all in a folder whose name has accents, and try it there; minutes
	@$(MAKE) --no-print-directory B='$(shared)/josé' ECL=$(ECL) \
	  download=$(download) check-everyday check-embedding

check-libraries: all ## the tests of other people's libraries, profiled
	@$(test_env) tests/run-tests.sh libraries

check-advice: all $(profiles) ## rules of advice: rows of profiles, and programs with and without faults
	@$(test_env) tests/run-tests.sh advice

check-serve: all $(packages)-serve ## what is served, and who takes it
	@$(test_env) tests/run-tests.sh serve

check-formats: all $(packages)-formats ## what others read of the exports
	@$(test_env) tests/run-tests.sh formats

check-html: all $(packages)-html ## the page in a headless browser
	@$(test_env) tests/run-tests.sh html

check-deb: all $(packages)-deb ## the Debian packages in a clean root folder; as root, from the mirror
	@$(test_env) tests/run-tests.sh deb

check-arm64: $(packages)-cross $(packages)-arm64 ## most of it on AArch64, emulated; as root, from the mirror; 45 min
	@BUILD=$(top) tests/portable/arm64.sh $(SUITES)

check-portable: $(ecl_key) $(packages)-cross $(packages)-clang ## C files compile by Clang, for AArch64, and the reader's with musl, without a warning
	@$(test_env) tests/run-tests.sh portable/compile

check-emacs: all $(packages)-emacs ## profiles and advice in Emacs, with SLIME, and Sly if SLY names its folder
	@$(test_env) tests/run-tests.sh emacs

check-growth: all ## ten million contexts; takes 4 GB of memory
	@$(test_env) tests/run-tests.sh growth

# Those tests of the command that run it, and are not about the documents; with
# SHORT=1, nor about debuggers, or how programs are run and files are merged.
cli_sanitized  := $(filter-out $(addprefix cli/,alone documents legends manual \
  targets $(if $(short),attach files merge run signals)),$(patsubst \
  tests/%.sh,%,$(wildcard tests/cli/*.sh)))
# Those of C, with SHORT=1 without the longest and those of Lisp's monitor,
# which then need not be compiled.
c_short        := $(filter-out $(if $(short),%/test_file_bounds.c \
  %/test_malloc_interrupted.c tests/c/test_monitor_%),$(test_c))

# With SHORT=1 what is damaged or fails at every place is so at every tenth, and
# 8 images are damaged.  How much memory files take is not looked at.
check-asan: $(ecl_key) $(malloc_so) ## C and command tests, C programs with ASan and UBSan
	@$(MAKE) --no-print-directory O=$(top)/asan CFLAGS='-O1 -g1' \
	  SANITIZE='-fsanitize=address,undefined -fno-sanitize-recover=all' \
	  test_c='$(c_short)' check-asan-variant

.PHONY: check-asan-variant
check-asan-variant: tests $(command) $(malloc_a) $(manuals)
	@$(test_env) MPROF_LIB=$(top)/lib SANITIZE='$(SANITIZE)' EVERY=$(short:1=10) \
	  DAMAGES=$(short:1=8) \
	  tests/run-tests.sh c $(cli_sanitized) sanitized recover/damaged

check-clang: $(ecl_key) $(packages)-clang ## headers, C tests and C programs by Clang, without a warning
	@$(MAKE) --no-print-directory O=$(top)/clang CC=clang SANITIZE=-Werror \
	  check-clang-variant

.PHONY: check-clang-variant
check-clang-variant: tests $(command) $(malloc_so) $(malloc_a) $(monitor_so) $(serve_so) $(figures)
	@$(test_env) tests/run-tests.sh headers c malloc

# For variants in which the monitor alone is another one.
reduce_as_built = reduce_o='$(filter-out $(shared_c:%.c=$(O)/obj/%.o),$(reduce_o))'

# Only what has threads of its own.
check-tsan: all ## C programs and tests with threads with ThreadSanitizer
	@$(MAKE) --no-print-directory O=$(top)/tsan SANITIZE=-fsanitize=thread \
	  test_c=tests/c/test_malloc_shared_table.c \
	  check-tsan-variant

.PHONY: check-tsan-variant
check-tsan-variant: tests $(malloc_a)
	@$(test_env) MPROF=$(top)/bin/mprof SANITIZE='$(SANITIZE)' tests/run-tests.sh c sanitized

setup-tests: $(foreach list,allocators everyday unwind formats html serve emacs clang cross ccache,$(packages)-$(list)) ## install what all tests but check-fuzz need

setup-fuzz: $(packages)-fuzz ## install what check-fuzz needs

check-fuzz: $(packages)-fuzz ## fuzz the reader for a minute (FUZZ_SECONDS)
	@$(MAKE) --no-print-directory O=$(top)/fuzz CC=clang \
	  SANITIZE='-fsanitize=fuzzer-no-link,address,undefined \
	  -fno-sanitize-recover=all' check-fuzz-variant

.PHONY: check-fuzz-variant
check-fuzz-variant: $(O)/bin/fuzz-reader
	@$(test_env) tests/run-tests.sh fuzz

# Tables that begin tiny grow over and over.  A sanitizer's library cannot be in
# a program that the monitor is preloaded into, so gcc puts an invalid
# instruction where something is undefined.  Alignment is not checked: gcc takes
# the tag in the address of a cons for a wrong one.  With SHORT=1 only the
# monitor is built so.  Its own tests are run, programs with many threads,
# functions, contexts and frames, and suites of malloc/ about what it computes.
check-tiny: all $(packages)-allocators ## C, exact and malloc tests with a monitor of tiny tables that traps what is undefined
	@$(MAKE) --no-print-directory O=$(top)/tiny \
	  CPPFLAGS='$(CPPFLAGS) -DMPROF_TINY' \
	  SANITIZE='-fsanitize=undefined -fno-sanitize=alignment -fsanitize-undefined-trap-on-error' $(if $(short), \
	  test_c='$(wildcard tests/c/test_monitor_*.c tests/c/test_malloc_*.c)' \
	  $(reduce_as_built) check-tiny-short,check-tiny-variant)

tiny := budget change depth limited lines names phases threads ../tiny/lost-names
# In code.c addresses are used again only when tables do not grow in between.
malloc_tiny := $(addprefix malloc/,$(if $(short),budget functions pools regions threads, \
  $(filter-out code,$(patsubst tests/malloc/%.sh,%,$(wildcard tests/malloc/*.sh)))))

.PHONY: check-tiny-variant check-tiny-short
check-tiny-variant: tests $(command) $(monitor_so) $(reduce_so) $(malloc_so) $(malloc_a) $(figures)
	@$(test_env) TEST_TIMEOUT=3600 EXACT_PROGRAMS='*.lisp ../tiny/*.lisp' \
	  tests/run-tests.sh c exact $(malloc_tiny)

check-tiny-short: tests $(monitor_so) $(malloc_so) $(malloc_a) $(figures)
	@cp $(top)/lib/libmprof-reduce.so $(top)/lib/libmprof-serve.so $(O)/lib
	@$(test_env) MPROF=$(top)/bin/mprof EXACT_FLAGS=-O0 EVERY=10 \
	  EXACT_PROGRAMS='$(addsuffix .lisp,$(tiny))' \
	  tests/run-tests.sh c exact/run $(malloc_tiny)

check-suite: all tests $(foreach list,allocators everyday unwind,$(packages)-$(list)) ## the suites that SUITES names, such as malloc/ends or lisp
	@$(test_env) tests/run-tests.sh $(SUITES)

check-mutants: all tests $(foreach list,allocators everyday unwind formats html serve,$(packages)-$(list)) ## which of MUTANTS [80] small faults, by SEED, the tests find; two hours
	@$(test_env) tests/mutants/run.sh

demo: all ## profile a real program and print its tables
	@$(test_env) tests/demo/run.sh

bench: all $(top)/reference-work/key ## measure the cost of profiling
	@$(test_env) ECL_REFERENCE=$(reference)/bin/ecl tests/bench/run.sh

bench-instructions: all $(top)/reference-work/key ## the same in instructions
	@$(test_env) ECL_REFERENCE=$(reference)/bin/ecl tests/bench/run.sh \
	  --instructions

bench-on-off: all ## the same of mprof counting and stopped alone; minutes for ten PROGRAMS
	@$(test_env) tests/bench/run.sh --on-off

bench-serve: all $(packages)-serve ## what it costs to serve a profile of 100,000 contexts
	@mkdir -p $(O)/bench
	@cd $(O) && $(test_env) bin/ecl --norc --eval '(require :mprof)' --eval \
	  '(defvar cl-user::*file* "$(CURDIR)/tests/bench/serve.lisp")' --eval \
	  '(load (compile-file *file* :output-file "bench/serve.fas"))' \
	  --eval '(serving::run)' --eval '(ext:quit 0)' | grep -v '^;'

bench-malloc: all $(packages)-bench-malloc ## the cost of profiling C programs, and of heaptrack
	@$(test_env) tests/bench/malloc.sh

bench-growth: all ## measure time and memory by the number of contexts
	@$(test_env) tests/bench/growth.sh
