"""What schemathesis holds against an answer: a server error that KubeVirt's API does not document."""

import re

import schemathesis

# KubeVirt answers these with 500; clients were made for it.
DOCUMENTED = re.compile(
    "unexpected return code"  # of virt-handler
    "|admission webhook"  # a migration that is refused
    "|already underway"
)


@schemathesis.check
def undocumented_server_error(ctx, response, case):
    """Reads of a guest tell every refusal as a 500 in plain text."""
    told = case.method.upper() == "GET" and response.headers.get("content-type", [""])[0].startswith("text/plain")
    if response.status_code >= 500 and not told and not DOCUMENTED.search(response.text):
        raise AssertionError(f"{response.status_code}: {response.text[:300]}")


@schemathesis.check
def refusals_are_statuses(ctx, response, case):
    if response.status_code in (400, 403, 404, 409, 413, 415, 422):
        body = response.json()
        assert body["kind"] == "Status" and body["code"] == response.status_code and body["message"], response.text[:300]
        assert " at " not in body["message"] or ".ts:" not in body["message"], "a stack trace"
