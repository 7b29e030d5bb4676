"""Which job asks, and who submitted it."""

from __future__ import annotations

import logging
from pathlib import Path

from cryptography.x509.oid import NameOID
from nvflare.apis.fl_constant import FLContextKey
from nvflare.apis.job_def import JobMetaKey
from nvflare.collab import collab
from nvflare.lighter.tool_consts import NVFLARE_SIG_FILE, NVFLARE_SUBMITTER_CRT_FILE
from nvflare.lighter.utils import (
    load_crt,
    load_crt_chain,
    validate_admin_leaf_cert,
    verify_cert_chain,
)

log = logging.getLogger("fedps.client")

_AUTHORITY = "rootCA.pem"  # of the kit: what certifies sites and users


def asking_job() -> str:
    """Return who asks, for the ledger: a job of NVFLARE, and who submitted it as the server says."""
    by = _named_submitter()
    return f"NVFLARE job {collab.fl_ctx.get_job_id()}" + (f" of {by}" if by else "")


def submitter() -> str:
    """Return the user who submitted the job, if that user has signed it; empty if not.

    Users sign what they submit by the key in their startup kit, the authority in this site's own kit
    certifies whose key that is, and NVFLARE refuses to deploy a job here whose files do not fit its
    signatures. So a server cannot make up a user; it could run a signed job once more.
    """
    named = _named_submitter()
    return named if named and named == _signer() else ""


def _named_submitter() -> str:
    """Return who submitted the job, as the server says; empty in a simulation."""
    meta = collab.fl_ctx.get_prop(FLContextKey.JOB_META) or {}
    return str(meta.get(JobMetaKey.SUBMITTER_NAME.value) or "")


def _signer() -> str:
    """Return the name in the certificate that came with the job, which this site's authority issued."""
    app = Path(collab.workspace.get_app_dir(collab.fl_ctx.get_job_id()))
    if not (app / NVFLARE_SIG_FILE).is_file():  # then NVFLARE has compared nothing
        return ""
    try:
        own, *others = load_crt_chain(str(app / NVFLARE_SUBMITTER_CRT_FILE))
        authority = load_crt(collab.workspace.get_file_path_in_startup(_AUTHORITY))
        verify_cert_chain(leaf_cert=own, intermediate_certs=others, root_ca_cert=authority)
        validate_admin_leaf_cert(own)
        (name,) = own.subject.get_attributes_for_oid(NameOID.COMMON_NAME)
    except Exception:
        log.exception("the certificate of who submitted the job cannot be verified")
        return ""
    return str(name.value)
