"""OwnerConsent: whether a client's owner has agreed to what a fit is about."""

from __future__ import annotations

import logging

from fedps.client.own_files import NotOwn
from fedps.client.requests.digest import request_digest, short_name
from fedps.client.requests.in_words import is_declared
from fedps.client.requests.request_folder import NoRoom, RequestFolder
from fedps.protocol.codec import encode
from fedps.protocol.messages import Refusal, Request

log = logging.getLogger("fedps.client")

_WORDS = {"waiting": "waits", "denied": "denied"}


class OwnerConsent:
    """Refuses all pipelines but those that the owner has approved; the others wait in a folder.

    Parameters
    ----------
    folder : RequestFolder
        Where requests and decisions are kept.
    """

    def __init__(self, folder: RequestFolder) -> None:
        self.folder = folder

    def check(self, request: Request, peer: str) -> Refusal | None:
        """Return None for what is approved, or why it is not answered. To be called in every round.

        What is not about a pipeline or a match needs no approval: the schema alone, that is. The refusal says by
        a word and a name what became of the request; ``fedps.protocol.answers`` makes a sentence of it.
        """
        if not request.needs_consent:
            return None
        digest = request_digest(request)
        name = short_name(digest)
        try:
            if self.folder.status(digest) == "approved":
                return None
            if not is_declared(request):  # it could not be shown, and would fail
                return Refusal("consent", f"unknown {name}")
            status = self.folder.ask(digest, encode(request), peer)
        except NoRoom as reason:
            return Refusal("consent", f"{reason} {name}")
        except (OSError, NotOwn):
            log.exception("the request %s could not be kept", name)
            return Refusal("consent", f"unkept {name}")
        # the owner may have decided meanwhile
        return None if status == "approved" else Refusal("consent", f"{_WORDS[status]} {name}")
