"""Uploads the reports of the day."""

from pathlib import Path

import boto3

import settings


def upload(folder: Path) -> int:
    client = boto3.client(
        "s3",
        region_name=settings.REGION,
        aws_access_key_id=settings.AWS_ACCESS_KEY_ID,
        aws_secret_access_key=settings.AWS_SECRET_ACCESS_KEY,
    )
    reports = sorted(folder.glob("*.csv"))
    for report in reports:
        client.upload_file(str(report), settings.BUCKET, report.name)
    return len(reports)
