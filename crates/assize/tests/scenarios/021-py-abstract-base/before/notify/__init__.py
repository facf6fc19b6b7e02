import json
import smtplib
import urllib.request
from email.message import EmailMessage


def notify(kind, target, subject, text):
    if kind == "email":
        message = EmailMessage()
        message["To"], message["Subject"] = target, subject
        message.set_content(text)
        with smtplib.SMTP("localhost") as smtp:
            smtp.send_message(message)
    elif kind == "webhook":
        body = json.dumps({"subject": subject, "text": text}).encode()
        urllib.request.urlopen(target, body, timeout=5)
