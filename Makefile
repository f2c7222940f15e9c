# SPDX-License-Identifier: GPL-2.0-or-later
#
# Builds the models, the simulator, the tests and a QEMU with the cards in it.
# make help lists the targets.
#
# The models are compiled three times from the same sources: by this file for
# raidsim, by this file with sanitisers for the unit tests (gcc and clang), and
# by QEMU's own build, which takes the names from build/models.list.
#
# A target such as "check" first lets scripts/setup look for missing packages
# and then runs make again for "_check", which may rely on build/config.mak.

SHELL = /bin/bash
.SHELLFLAGS = -o pipefail -c
.DEFAULT_GOAL = all
.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules --no-print-directory

export PLATTER_CACHE
export QEMU_SRC

V =
Q = $(if $V,,@)
NPROC := $(shell nproc 2>/dev/null || echo 2)
# Recipes run in parallel unless the caller has said how.
JOBS = $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(NPROC))

# One build at a time in a tree: a second make waits for the first.  The unit
# tests share no output with the rest.
LOCK = build/all.lock
check-unit: LOCK = build/unit.lock

define LOCKED
mkdir -p build && { flock -n $(LOCK) true || \
	echo "waiting for another make in this tree"; } && \
	flock $(LOCK) $(MAKE) $(JOBS)
endef

CHECKS = unit world tidy cli qtest boot
OUTER = all tests demo check check-kernels $(CHECKS:%=check-%) tidy install \
	clean help bench published soak
INNER := $(filter-out $(OUTER),$(or $(MAKECMDGOALS),all))

# ---------------------------------------------------------------- outer targets

.PHONY: $(OUTER)

all:
	+$Q$(LOCKED) _all

tests:
	+$Q$(LOCKED) _tests

demo:
	$Qscripts/setup unit qemu guest
	+$Q$(LOCKED) _all
	$Qscripts/demo

check:
	$Qscripts/setup unit qemu guest
	+$Qscripts/check $(CHECKS)

check-unit:
	$Qscripts/setup unit
	+$Q$(LOCKED) _units
	$Q$(MAKE) _check-unit

# Stories of units in trouble, most of them at full speed, some with
# sanitisers.
check-world:
	$Qscripts/setup unit
	+$Q$(LOCKED) _world
	$Qtests/world/run

soak:
	$Qscripts/setup unit
	+$Q$(LOCKED) _world
	$Qbuild/bin/world soak $(or $(SOAK_MINUTES),60)

check-tidy tidy:
	$Qif [ -x scripts/tidy ]; then scripts/tidy; \
	else echo "no scripts/tidy yet"; fi

check-cli check-qtest check-boot:
	$Qscripts/setup unit qemu $(if $(filter %-boot,$@),guest)
	+$Q$(LOCKED) _all _tests
	+$Qscripts/check --plain $(@:check-%=%)

check-kernels:
	$Qscripts/setup unit qemu guest
	+$Q$(LOCKED) _all
	$Qtests/boot/run --kernels all

install:
	+$Q$(LOCKED) _all
	$Q$(MAKE) _install

clean:
	rm -rf build

bench:
	$Qscripts/setup unit
	+$Q$(LOCKED) _raidsim
	$Qscripts/bench

published:
	$Qscripts/setup unit
	+$Q$(LOCKED) _raidsim
	$Qscripts/fidelity

help:
	@echo "make               build/bin: qemu-system-x86_64, qemu-img, raidsim"
	@echo "make demo          build all, boot a guest on a RAID 5, show what it saw"
	@echo "make check         every test; ends with 'N passed, N failed'"
	@echo "make check-unit    unit tests with sanitisers, gcc and clang; no QEMU"
	@echo "make check-world   thousands of stories of units in trouble; no QEMU"
	@echo "make soak          the same for SOAK_MINUTES (60)"
	@echo "make check-tidy    include ranks and house rules (also: make tidy)"
	@echo "make check-cli     command lines and wrong input"
	@echo "make check-qtest   the cards through QEMU, without a guest"
	@echo "make check-boot    real kernels with their own drivers"
	@echo "make check-kernels the same with every kernel"
	@echo "make bench         how many simulated requests a second, and twice the same"
	@echo "make published     measurements of others against the models: docs/fidelity.md"
	@echo "make install       PREFIX=/usr/local DESTDIR="
	@echo "make clean         remove build/ (downloads stay in the cache)"
	@echo "./configure --help what can be chosen; V=1 shows commands"

ifneq ($(INNER),)

build/config.mak: configure
	$Q./configure $(CONFIGURE_ARGS)

# A QEMU_SRC from the caller goes before what configure was told.
qemu_src_given := $(QEMU_SRC)
include build/config.mak
ifneq ($(qemu_src_given),)
QEMU_SRC := $(qemu_src_given)
endif

# -------------------------------------------------------------------- models

# Set so that one clone's objects serve every other, whatever its path and the
# caller's language.
export CCACHE_DIR = $(CACHE)/ccache
export CCACHE_BASEDIR = $(CURDIR)
export CCACHE_NOHASHDIR = 1
export CCACHE_SLOPPINESS = locale
export CCACHE_MAXSIZE = 1G

MODELS := $(sort $(wildcard disk-model/*/*.c raid-model/array/*.c \
	raid-model/control/*.c hw/asic/*.c))
SIM := $(sort $(wildcard raid-model/sim/*.c))
SKIN := $(sort $(wildcard hw/qemu/*.c))
HELPERS := $(sort $(wildcard tests/lib/*.c tests/guest/*.c))
UNITS := $(sort $(wildcard tests/unit/test-*.c))
UNIT_NAMES := $(UNITS:tests/unit/%.c=%)
QTESTS := $(sort $(wildcard tests/qtest/*.c))
WORLD := $(sort $(wildcard tests/world/*.c))

WARNINGS = -Wall -Wextra -Wmissing-prototypes -Wstrict-prototypes \
	-Wold-style-definition -Wvla -Wundef -Wwrite-strings -Werror
PLATTER_CFLAGS = -std=gnu11 -g $(WARNINGS) -iquote . -MMD -MP \
	-ffile-prefix-map=$(CURDIR)=. $(GLIB_CFLAGS) $(ISAL_CFLAGS)
PLATTER_LIBS = $(ISAL_LIBS) $(GLIB_LIBS) -lm
# raidsim's speed is a promise: much of it is calls between rooms that the
# linker can do without, and a third is in knowing which way it mostly goes.
# The profile's warnings vary with the profile: none is an error, and at the
# link, where they cannot be told from others, there are none.
FAST = -O3 $(LTO)
TRAIN = $(FAST) -fprofile-generate
# By the name of what it is for a compiler tells one file's functions from
# another's, and where their counts go.
TRAIN_AS = -MF $(@:.o=.d) -dumpdir $(@D:build/train/%=build/obj/%)/
TRAINED = -fprofile-use -fprofile-partial-training -Wno-error \
	-Wno-missing-profile -Wno-coverage-mismatch
SANITIZE = -fsanitize=address,undefined -fno-sanitize-recover=all \
	-fno-omit-frame-pointer

# $(call objects,DIRECTORY,SOURCES)
objects = $(2:%.c=build/$(1)/%.o)

# $(call written,TEXT): the recipe of a file that changes only when TEXT does
define written
@mkdir -p $(@D); printf '%s\n' $(1) > $@.$$$$; \
	if cmp -s $@ $@.$$$$; then rm $@.$$$$; else mv $@.$$$$ $@; fi
endef

# Every object depends on how it is compiled.
build/flags: FORCE
	$(call written,'$(CC) $(CLANG) $(FAST) $(PROFILE) $(PLATTER_CFLAGS) \
		$(SANITIZE)')

# One way to compile: $(call compile,DIRECTORY,COMPILER,FLAGS)
define compile
build/$(1)/%.o: %.c build/flags
	@mkdir -p $$(@D)
	@echo "  CC      $$<$(if $(filter obj,$(1)),, ($(1:check/%=%)))"
	$$Q$$(CCACHE) $(2) $$(PLATTER_CFLAGS) $(3) -c -o $$@ $$<

build/$(1)/libplatter.a: $$(call objects,$(1),$$(MODELS)) build/models.list
	$$(archive)

build/$(1)/libsim.a: $$(call objects,$(1),\
		$$(filter-out raid-model/sim/main.c,$$(SIM)))
	$$(archive)

build/$(1)/libhelpers.a: $$(call objects,$(1),$$(HELPERS))
	$$(archive)
endef

define archive
	@mkdir -p $(@D)
	$Qrm -f $@ && ar rc $@ $(filter %.o,$^)
endef

$(eval $(call compile,obj,$$(CC),$$(FAST)))
$(eval $(call compile,train,$$(CC),$$(TRAIN) $$(TRAIN_AS)))
$(eval $(call compile,check/gcc,$$(CC),-O1 $$(SANITIZE) $$(CHECK_CFLAGS)))
$(eval $(call compile,check/clang,$$(CLANG),-O1 $$(SANITIZE) $$(CHECK_CFLAGS)))

build/lib/libplatter.a: build/obj/libplatter.a
	@mkdir -p $(@D)
	$Qln -f $< $@

build/bin/raidsim: $(call objects,obj,$(SIM)) build/lib/libplatter.a
	@mkdir -p $(@D)
	@echo "  LINK    $@"
	$Q$(CC) $(FAST) $(if $(PROFILE),$(TRAINED) -w) -g -o $@ $^ $(PLATTER_LIBS)

# The profile: made once in a tree and kept, so that a change compiles as
# quickly as ever (what changed goes without); "make clean" makes room for a
# new one.
ifdef PROFILE
$(call objects,obj,$(MODELS) $(SIM)): private PLATTER_CFLAGS += $(TRAINED)
$(call objects,obj,$(MODELS) $(SIM)): | build/train/profile
endif

build/train/raidsim: $(call objects,train,$(MODELS) $(SIM))
	@echo "  LINK    $@"
	$Q$(CC) $(TRAIN) -o $@ $^ $(PLATTER_LIBS)

TRAINING = fio --json --norandommap --bs 4k --number_ios 20000
TRAINING_FIVE = --board 3ware-7810 --drives 5xwd1200jb --unit raid5:0-4:64k
TRAINING_LOADS = "" "--iodepth 8" "--iodepth 256" \
	"$(TRAINING_FIVE) --iodepth 16" "$(TRAINING_FIVE) --rw randwrite" \
	"$(TRAINING_FIVE) --rw randrw --rwmixread 70 --iodepth 16"

build/train/profile: | build/share/platter/presets
	+$Q$(MAKE) build/train/raidsim
	@echo "  TRAIN   build/train/raidsim"
	@mkdir -p $(dir $(call objects,obj,$(MODELS) $(SIM)))
	$Qfind build/obj -name '*.gcda' -delete
	$Qfor load in $(TRAINING_LOADS); do \
		build/train/raidsim $(TRAINING) --rw randread $$load \
			>/dev/null || exit; done
	$Qtouch $@

-include $(patsubst %.o,%.d,$(foreach dir,obj train check/gcc check/clang,\
	$(call objects,$(dir),$(MODELS) $(SIM) $(HELPERS) $(UNITS) $(QTESTS) \
	$(WORLD))))

# ---------------------------------------------------------------- unit tests

# $(call unit_program,gcc or clang,COMPILER)
define unit_program
build/check/$(1)/test-%: build/check/$(1)/tests/unit/test-%.o \
		build/check/$(1)/libhelpers.a build/check/$(1)/libsim.a \
		build/check/$(1)/libplatter.a
	@echo "  LINK    $$@"
	$$Q$(2) -g $$(SANITIZE) -o $$@ $$^ $$(CHECK_LIBS) $$(PLATTER_LIBS)
endef

$(eval $(call unit_program,gcc,$$(CC)))
$(eval $(call unit_program,clang,$$(CLANG)))

UNIT_PROGRAMS = $(foreach name,$(UNIT_NAMES),\
	build/check/gcc/$(name) build/check/clang/$(name))
.SECONDARY:

# Not before configure has looked: make reads this file once without its words.
ifneq ($(and $(filter _units,$(MAKECMDGOALS)),$(wildcard build/config.mak)),)
$(if $(CHECK_LIBS),,$(error package check is missing: scripts/setup unit))
$(if $(CLANG),,$(error package clang is missing: scripts/setup unit))
endif

.PHONY: _units _check-unit
_units: $(UNIT_PROGRAMS) build/share/platter/presets

_check-unit:
	$Qscripts/check-unit $(UNIT_PROGRAMS)

# --------------------------------------------------------------------- world

build/bin/world: $(call objects,obj,$(WORLD)) build/obj/libhelpers.a \
		build/lib/libplatter.a
	@mkdir -p $(@D)
	@echo "  LINK    $@"
	$Q$(CC) $(FAST) -g -o $@ $^ $(CHECK_LIBS) $(PLATTER_LIBS)

build/check/gcc/world: $(call objects,check/gcc,$(WORLD)) \
		build/check/gcc/libhelpers.a build/check/gcc/libplatter.a
	@echo "  LINK    $@"
	$Q$(CC) -g $(SANITIZE) -o $@ $^ $(CHECK_LIBS) $(PLATTER_LIBS)

.PHONY: _world
_world: build/bin/world build/check/gcc/world

# ---------------------------------------------------------------------- QEMU

build/models.list: FORCE
	$(call written,$(MODELS) $(SKIN))

# What the source tree was made from: the rest follows when it changes.
build/qemu-src.from: FORCE
	$(call written,"$(QEMU_SRC)")

build/qemu-src.ready: build/qemu-src.from \
		$(wildcard qemu-patches/*.patch qemu-patches/raid.mak)
	$(if $(LACK_QEMU),$(error QEMU cannot be built, packages are missing:\
		$(LACK_QEMU) (as root: scripts/setup qemu)))
	$QQEMU_SRC="$(QEMU_SRC)" scripts/qemu-tree build/qemu-src
	@touch $@

QEMU_OPTIONS = --python=$(PYTHON) --ninja=$(NINJA) --disable-download \
	--target-list=x86_64-softmmu --with-devices-x86_64=raid \
	--without-default-features --without-default-devices \
	--enable-system --enable-tcg --enable-tools \
	--enable-trace-backends=log --enable-malloc-trim --disable-fdt \
	--disable-docs --disable-install-blobs --disable-debug-info \
	--with-suffix=platter/qemu --cc="$(strip $(CCACHE) $(CC))"

build/qemu.options: FORCE
	$(call written,'$(QEMU_OPTIONS)')

build/qemu/build.ninja: build/qemu-src.ready build/qemu.options | \
		build/models.list
	@mkdir -p $(@D)
	@echo "QEMU: configuring (half a minute)"
	$Qcd build/qemu && ../qemu-src/configure $(QEMU_OPTIONS) \
		> configure.log 2>&1 || { tail -n 15 configure.log; exit 1; }
	@touch $@

# Ninja knows what is to be done; its lines become one per tenth of the work.
.PHONY: qemu
qemu: build/qemu/build.ninja build/models.list
	$QNINJA_STATUS='@%p %t ' $(NINJA) -C build/qemu -j $(NPROC) \
		qemu-system-x86_64 qemu-img 2>&1 | scripts/lib/ninja-progress

build/bin/qemu-system-x86_64 build/bin/qemu-img: build/bin/%: qemu
	@mkdir -p $(@D)
	@if ! cmp -s build/qemu/$* $@; then \
		echo "  COPY    $@"; \
		cp build/qemu/$* $@.new && mv -f $@.new $@; fi

ROMS = linuxboot_dma.bin kvmvapic.bin pvh.bin

# The boot ROMs of QEMU that configure leaves out for want of a 32-bit libgcc.
$(ROMS:%=build/optionrom/%) &: build/qemu-src.ready
	@mkdir -p build/optionrom
	@echo "QEMU: option ROMs"
	@printf '%s\n' TOPSRC_DIR=$(CURDIR)/build/qemu-src CC=$(CC) CCAS=$(CC) \
		OBJCOPY=objcopy PYTHON=$(PYTHON) EXTRA_CFLAGS=-m32 \
		> build/optionrom/config.mak
	$Qenv -u MAKEFLAGS -u MFLAGS $(MAKE) -j1 -C build/optionrom \
		-f ../qemu-src/pc-bios/optionrom/Makefile $(ROMS) \
		> build/optionrom/log 2>&1 || { tail build/optionrom/log; exit 1; }
	@touch $(ROMS:%=build/optionrom/%)

FIRMWARE = $(ROMS:%=build/share/platter/qemu/%) \
	build/share/platter/qemu/bios-256k.bin

build/share/platter/qemu/bios-256k.bin: $(SEABIOS)
$(ROMS:%=build/share/platter/qemu/%): build/share/platter/qemu/%: \
		build/optionrom/%
$(FIRMWARE):
	@mkdir -p $(@D)
	$Qcp $< $@

build/share/platter/presets:
	@mkdir -p $(@D)
	$Qln -sfn ../../../disk-model/presets $@

build/share/qemu:
	@mkdir -p $(@D)
	$Qln -sfn platter/qemu $@

# --------------------------------------------------------------- inner targets

QTEST_OBJECTS = $(call objects,obj,$(QTESTS))

build/tests/qtest-run: $(QTEST_OBJECTS) build/obj/libhelpers.a \
		build/lib/libplatter.a
	@mkdir -p $(@D)
	@echo "  LINK    $@"
	$Q$(CC) $(FAST) -g -o $@ $^ $(CHECK_LIBS) $(PLATTER_LIBS)

$(QTEST_OBJECTS): private PLATTER_CFLAGS += $(CHECK_CFLAGS)
$(call objects,obj,$(HELPERS) $(WORLD)): private PLATTER_CFLAGS += $(CHECK_CFLAGS)

.PHONY: _all _tests _raidsim _install FORCE
_all: build/bin/qemu-system-x86_64 build/bin/qemu-img $(FIRMWARE) \
	build/share/platter/presets build/share/qemu \
	$(if $(wildcard raid-model/sim/main.c),build/bin/raidsim)

_raidsim: build/bin/raidsim build/share/platter/presets

_tests: $(if $(QTESTS),build/tests/qtest-run)

# An installed tool finds its data by ../share/platter from where it is.
BIN = $(DESTDIR)$(PREFIX)/bin
DATA = $(DESTDIR)$(PREFIX)/share/platter
TOOLS = guest guest-kernel lib/apt.sh lib/guest-init.sh twcli

_install:
	install -d $(BIN) $(DATA)/qemu $(DATA)/presets \
		$(DATA)/scripts/lib/guest $(DATA)/scripts/lib/twcli
	install -s build/bin/qemu-system-x86_64 build/bin/qemu-img $(BIN)
	install build/bin/raidsim $(BIN)
	install -m 644 $(FIRMWARE) $(DATA)/qemu
	install -m 644 $(wildcard disk-model/presets/*) $(DATA)/presets
	for file in $(TOOLS); do \
		cp --preserve=mode scripts/$$file $(DATA)/scripts/$$file || exit 1; \
	done
	install -m 644 $(wildcard scripts/lib/guest/*.py) \
		$(DATA)/scripts/lib/guest
	install -m 644 $(wildcard scripts/lib/twcli/*.py) \
		$(DATA)/scripts/lib/twcli
	ln -sf ../share/platter/scripts/guest $(BIN)/platter-guest
	ln -sf ../share/platter/scripts/twcli $(BIN)/twcli

FORCE:

endif
