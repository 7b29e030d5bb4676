"""NamedPolicy: the policy that ``fedps policy check`` is about, from a file or by the name of a preset."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import NamedTuple

from fedps.client import Policy
from fedps.client.policy import PRESETS
from fedps.client.policy_file import read_policy


class NamedPolicy(NamedTuple):
    """A policy, where it is from, and the preset that it begins with, if any."""

    policy: Policy
    title: str
    preset: str | None


def find_policy(word: str) -> NamedPolicy:
    """Return the policy in a file; if there is no such file, the preset of that name.

    >>> find_policy("strict").title
    "The preset 'strict'"
    """
    path = Path(word).expanduser()
    if word in PRESETS and not path.exists():
        return NamedPolicy(Policy.preset(word), f"The preset {word!r}", word)
    policy = read_policy(path)
    preset = tomllib.loads(path.read_text("utf-8-sig")).get("preset")
    return NamedPolicy(policy, f"The policy in {path.name}", preset)
