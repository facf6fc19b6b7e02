import logging

log = logging.getLogger(__name__)


def run(store):
    for name in store.names():
        log.info("backing up %s", name)
        store.copy(name)
