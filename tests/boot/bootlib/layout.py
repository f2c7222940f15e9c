# SPDX-License-Identifier: GPL-2.0-or-later
"""Where a unit's bytes lie on its members: a second reading of docs/layout.md.

Plain loops over chunks, sharing nothing with the models.  Two uses: the host
puts a unit together from its member images (with any one member withheld),
and the device-mapper oracle is told which targets to set up.  All lengths
are sectors of 512 bytes unless a name says bytes.
"""

SECTOR = 512
DATA_OFFSET = 1024
RESERVED = 2048


class Unit:
    """A level over some members, each `drive` sectors long."""

    def __init__(self, level, members, drive, stripe=0):
        self.level, self.members, self.drive = level, members, drive
        self.stripe = stripe
        usable = drive if level == "jbod" else drive - RESERVED
        if stripe:
            usable -= usable % stripe
        self.usable = usable
        self.offset = 0 if level == "jbod" else DATA_OFFSET

    @property
    def redundant(self):
        return self.level in ("raid1", "raid10", "raid5")

    @property
    def copies(self):
        """How many members' worth of space hold data."""
        return {"raid0": self.members, "raid10": self.members // 2,
                "raid5": self.members - 1}.get(self.level, 1)

    @property
    def sectors(self):
        return self.copies * self.usable

    def row(self, row):
        """(member of each data chunk, parity member or None, mirrors)."""
        every = list(range(self.members))
        if self.level == "raid5":
            parity = row % self.members
            return [m for m in every if m != parity], parity, {}
        if self.level == "raid10":
            return every[::2], None, {m: m + 1 for m in every[::2]}
        if self.level == "raid1":
            return [0], None, {0: 1}
        return every, None, {}

    def chunk(self):
        """A stripeless level is cut into pieces of any size: 64 KiB here."""
        return self.stripe or 128

    def rows(self):
        """Pairs (row number, sectors of each chunk)."""
        chunk = self.chunk()
        for row in range(-(-self.usable // chunk)):
            yield row, min(chunk, self.usable - row * chunk)

    def split(self, data):
        """The members' images (bytearrays) of a unit that holds `data`."""
        images = [bytearray(self.drive * SECTOR)
                  for _ in range(self.members)]
        at = 0
        for row, count in self.rows():
            size = count * SECTOR
            start = (self.offset + row * self.chunk()) * SECTOR
            where, parity, mirrors = self.row(row)
            xor = 0
            for member in where:
                piece = data[at:at + size]
                at += size
                images[member][start:start + size] = piece
                if member in mirrors:
                    images[mirrors[member]][start:start + size] = piece
                xor ^= int.from_bytes(piece, "little")
            if parity is not None:
                images[parity][start:start + size] = xor.to_bytes(size,
                                                                  "little")
        return images

    def join(self, images, missing=None):
        """Yield the unit's bytes, chunk by chunk, from open image files."""
        for row, count in self.rows():
            size = count * SECTOR
            start = (self.offset + row * self.chunk()) * SECTOR

            def piece(member):
                images[member].seek(start)
                return images[member].read(size)

            where, parity, mirrors = self.row(row)
            for member in where:
                if member != missing:
                    yield piece(member)
                elif member in mirrors:
                    yield piece(mirrors[member])
                else:
                    xor = 0
                    for other in range(self.members):
                        if other != member:
                            xor ^= int.from_bytes(piece(other), "little")
                    yield xor.to_bytes(size, "little")

    def table(self, devices, missing=None):
        """The device-mapper tables of this unit over block devices.

        The first is the unit's own; the others are the devices it names as
        @0, @1 ... (None: not needed).  device-mapper's raid10 target wants
        metadata devices, which the members of a card do not have, so RAID 10
        is built as what near-2 says: stripes over mirrors.
        """
        def linear(member):
            return f"0 {self.usable} linear {devices[member]} {self.offset}"

        def mirror(first):
            left = [m for m in (first, first + 1) if m != missing]
            if len(left) == 1:
                return linear(left[0])
            pairs = " ".join(f"{devices[m]} {self.offset}" for m in left)
            return f"0 {self.usable} mirror core 2 64 nosync 2 {pairs}"

        if self.level in ("single", "jbod"):
            return [linear(0)]
        if self.level == "raid0":
            pairs = " ".join(f"{name} {self.offset}" for name in devices)
            return [f"0 {self.sectors} striped {self.members} "
                    f"{self.stripe} {pairs}"]
        if self.level == "raid10":
            pairs = range(self.members // 2)
            return ([f"0 {self.sectors} striped {len(pairs)} {self.stripe} "
                     + " ".join(f"@{i} 0" for i in pairs)]
                    + [mirror(2 * i) for i in pairs])
        if self.level == "raid1" and missing is None:
            return [mirror(0)]
        kind = ("raid1 2 0 nosync" if self.level == "raid1" else
                f"raid5_ra 2 {self.stripe} nosync")
        pairs = " ".join("- -" if m == missing else f"- @{m}"
                         for m in range(self.members))
        return ([f"0 {self.sectors} raid {kind} {self.members} {pairs}"]
                + [None if m == missing else linear(m)
                   for m in range(self.members)])
