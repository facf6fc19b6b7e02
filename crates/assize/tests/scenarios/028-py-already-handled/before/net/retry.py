import time


def retry(call, max_attempts=5, delay=0.2):
    error = None
    for attempt in range(max_attempts):
        try:
            return call()
        except ConnectionError as caught:
            error = caught
            if attempt + 1 < max_attempts:
                time.sleep(delay * 2**attempt)
    raise error


def retry_forever(call, delay=1.0):
    while True:
        try:
            return call()
        except ConnectionError:
            time.sleep(delay)
