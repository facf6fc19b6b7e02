"""The channels that come with the package."""

import json
import smtplib
import urllib.request
from email.message import EmailMessage

from notify.base import Channel, register


@register("email")
class Email(Channel):
    def send(self, target, subject, text):
        message = EmailMessage()
        message["To"], message["Subject"] = target, subject
        message.set_content(text)
        with smtplib.SMTP("localhost") as smtp:
            smtp.send_message(message)


@register("webhook")
class Webhook(Channel):
    def send(self, target, subject, text):
        body = json.dumps({"subject": subject, "text": text}).encode()
        urllib.request.urlopen(target, body, timeout=5)
