import argparse
import os

from sync.client import Client
from sync.mapping import to_remote


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--target", choices=["staging", "production"], required=True)
    parser.add_argument("--dry-run", action="store_true")
    args = parser.parse_args()

    token = os.environ[f"{args.target.upper()}_TOKEN"]
    client = Client(f"https://{args.target}.example.net/api", token)
    for record in client.changed_records():
        remote = to_remote(record)
        print(record.id, "->", remote)
        if not args.dry_run:
            client.put(remote)


if __name__ == "__main__":
    main()
