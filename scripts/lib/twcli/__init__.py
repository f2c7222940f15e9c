# SPDX-License-Identifier: GPL-2.0-or-later
"""tw_cli's words over a card's report.

main      options, and where lines come from: arguments, a file, a person
commands  a line of words made an answer or an order; asks before harm
text      tables and lines, column for column as tw_cli prints them (pure)
doors     where reports come from and orders go: a QEMU, images, a file
watch     what the daemon of 3DM did: commands and mail on events, a page
"""
