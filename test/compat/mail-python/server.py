"""Accepts mails with STARTTLS and a password, and prints each as a line of JSON. The first line is the port."""
import email
import email.policy
import json
import ssl
import sys
import time

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult


class Handler:
    async def handle_RCPT(self, server, session, envelope, address, options):
        if address.startswith("unknown@"):
            return "550 5.1.1 no such user"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        mail = email.message_from_bytes(envelope.content, policy=email.policy.default)
        print(json.dumps({
            "from": envelope.mail_from, "to": envelope.rcpt_tos, "subject": mail["subject"], "id": mail["message-id"],
            "text": mail.get_body(("plain",)).get_content(), "html": mail.get_body(("html",)).get_content(),
            "tls": session.ssl is not None, "defects": [str(d) for d in mail.defects],
        }), flush=True)
        return "250 OK"


def authenticate(server, session, envelope, mechanism, data):
    return AuthResult(success=data.login == b"procession" and data.password == b"correct horse")


context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
context.load_cert_chain(sys.argv[1], sys.argv[2])
controller = Controller(
    Handler(), hostname="127.0.0.1", port=int(sys.argv[3]), tls_context=context, require_starttls=True, authenticator=authenticate,
    auth_required=True, auth_require_tls=True)
controller.start()
print(json.dumps("ready"), flush=True)
time.sleep(120)
