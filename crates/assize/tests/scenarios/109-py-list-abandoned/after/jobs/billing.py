import logging

log = logging.getLogger(__name__)


def run(accounts):
    for account in accounts:
        log.info("billing %s", account.id)
        account.bill()
