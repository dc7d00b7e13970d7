# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""ZshSession: an interactive zsh on a terminal, which tells what it offers for a line."""
import os
import pty
import re
import select
import time

LIMIT_S = 20

# Tab lists what there is and changes nothing; ^U empties the line.
SETUP = r"""
PS1=; stty -echo; unsetopt zle_bracketed_paste 2>/dev/null; unset zle_bracketed_paste
fpath=({site} $fpath); autoload -Uz compinit; compinit -D -u
zstyle ':completion:*' list-prompt ''; LISTMAX=10000; setopt no_always_last_prompt
bindkey '^I' list-choices; bindkey '^U' kill-whole-line
print is-rea''dy
"""


class ZshSession:
    def __init__(self, zsh, site, folder, environment):
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.chdir(folder)
            os.execve(zsh, ["zsh", "-f", "-i"], environment)
        self.send(SETUP.format(site=site))
        self.read_until({"is-ready"})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.terminal)
        os.waitpid(self.process, 0)

    def send(self, text):
        os.write(self.terminal, text.encode())

    def read_until(self, wanted):
        """The words on the terminal, once all the wanted ones are there, or after a while."""
        text, end = "", time.monotonic() + LIMIT_S
        while time.monotonic() < end:
            words = set(re.findall(r"[\w.-]+", re.sub(r"\x1b\[[?\d;]*[a-zA-Z]", " ", text)))
            if wanted <= words:
                return words
            if select.select([self.terminal], [], [], 0.1)[0]:
                text += os.read(self.terminal, 65536).decode(errors="replace")
        return words

    def offered(self, line, wanted):
        self.send(line + "\t")
        words = self.read_until(wanted)
        # What is typed is on the terminal, too.
        self.send("\x15print no''thing\n")
        words |= self.read_until({"nothing"})
        typed = set(re.findall(r"[\w.-]+", line)) - wanted
        return words - typed
