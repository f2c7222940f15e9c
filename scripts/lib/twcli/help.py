# SPDX-License-Identifier: GPL-2.0-or-later
"""Help that teaches: what can be said, with a line that works for each."""

SHELL = """
twcli speaks to 3ware cards as tw_cli did.  What can be said:

  show                        the controllers         info is the old word
  show alarms [reverse]       what happened, oldest first
  rescan                      look for drives that came
  focus /c0/u0                leave out the object from here on
  quiet                       do not ask before harm
  commit                      nothing to do here; taken for scripts
  exit

Objects: /c0 a controller, /c0/u0 a unit, /c0/p2 a port.  An object alone is
shown; `help c`, `help u` and `help p` list what each is told:

  /c0 show all
  /c0/u0 show status
  /c0/p2 show model serial
  /c0 add type=raid5 disk=0-3 stripe=64

A line that destroys asks first; `quiet` at its end does not.
"""

CARD = """
  /c0 show [all|unitstatus|drivestatus|allunitstatus|alarms [reverse]]
  /c0 show model|firmware|bios|monitor|serial|pcb|pchip|achip|memory|driver
  /c0 show numports|numdrives|numunits|rebuildrate|verifyrate
  /c0 add type=raid5 disk=0:1:2:3 stripe=64 [name=home] [noinit] [nocache]
          [autoverify] [ignoreECC]
          type=raid0|raid1|raid5|raid10|single|jbod|spare
  /c0 add type=spare disk=4
  /c0 set rebuild=1..5        1 fastest rebuild ... 5 fastest I/O
  /c0 set verify=1..5
  /c0 rescan
  /c0 alarms clear
"""

UNIT = """
  /c0/u0 show [all|status|rebuildstatus|verifystatus|initializestatus]
  /c0/u0 show name|serial|volumes|cache|autoverify|ignoreECC
  /c0/u0 start rebuild disk=3 [ignoreECC]
  /c0/u0 pause rebuild
  /c0/u0 resume rebuild
  /c0/u0 start verify
  /c0/u0 stop verify
  /c0/u0 set cache=on|off
  /c0/u0 set autoverify=on|off
  /c0/u0 set ignoreECC=on|off
  /c0/u0 set name=home
  /c0/u0 remove [quiet]       take it offline, data stays
  /c0/u0 del [quiet]          its data is lost
"""

PORT = """
  /c0/p2 show [all|status|model|firmware|serial|capacity]
  /c0/p2 remove [quiet]       before the drive is pulled
"""


def help_for(words):
    """words: nothing, or c, u, p (also written /c0/u0)."""
    word = words[0].lower().rstrip('0123456789').split('/')[-1] \
        if words else ''
    return {'c': CARD, 'u': UNIT, 'p': PORT}.get(word, SHELL) + '\n'
