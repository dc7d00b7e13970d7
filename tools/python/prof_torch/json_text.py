# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
"""JSON without `json`: a program may have a module of that name, and `import` would give us that.
"""

_ESCAPED = {
    '"': '\\"',
    "\\": "\\\\",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\b": "\\b",
    "\f": "\\f",
}


def json_text(value):
    """The shortest text of None, bools, numbers, strings, lists and dicts of them, in ASCII. Raises
    TypeError for other types and ValueError for numbers that JSON cannot have."""
    if isinstance(value, str):
        return _string(value)
    if value is None or value is True or value is False:
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int):
        return int.__repr__(value)
    if isinstance(value, float):
        if value - value != 0:
            raise ValueError("JSON has no %r" % value)
        return float.__repr__(value)
    if isinstance(value, (list, tuple)):
        return "[%s]" % ",".join(map(json_text, value))
    if isinstance(value, dict):
        return "{%s}" % ",".join(
            "%s:%s" % (_string(key), json_text(part)) for key, part in value.items()
        )
    raise TypeError("JSON has no %s" % type(value).__name__)


def _string(value):
    return '"%s"' % "".join(map(_character, value))


def _character(c):
    if c in _ESCAPED:
        return _ESCAPED[c]
    if " " <= c <= "~":
        return c
    code = ord(c)
    if code > 0xFFFF:  # two halves, as UTF-16 has it
        code -= 0x10000
        return "\\u%04x\\u%04x" % (0xD800 + (code >> 10), 0xDC00 + (code & 0x3FF))
    return "\\u%04x" % code


def parsed(text):
    """The value of `text`, which a library of ours has written."""
    return eval(text, {"__builtins__": {}, "null": None, "true": True, "false": False})
