#!/usr/bin/env python3
"""autoevals_run.py FOLDER_OF_INSTALL BASE_URL RECORDS_FILE OUT_DIR

One model call a record: one LLMClassifier with the choices Y and N. autoevals is a library of scorers without a runner and
without result files, so that a gather over a semaphore and a JSON Lines file stand for those.
PEER_CONCURRENCY is the number of calls at a time; PEER_CLIENT=threads uses threads and the synchronous client.
"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def main(base_url, records, out):
    import asyncio
    import json
    from concurrent.futures import ThreadPoolExecutor

    from autoevals import LLMClassifier
    from openai import AsyncOpenAI, OpenAI

    calls = int(os.environ.get("PEER_CONCURRENCY", "32"))
    with open(os.path.join(HERE, "rules.txt"), encoding="utf-8") as file:
        rules = file.read()
    with open(records, encoding="utf-8") as file:
        loaded = [json.loads(line) for line in file]

    def judge(client):
        return LLMClassifier("quality", rules + "\n{{{output}}}", choice_scores={"Y": 1, "N": 0}, model="peer-choice", client=client)

    def result(record, score):
        return json.dumps({"id": record["id"], "name": score.name, "score": score.score, "metadata": score.metadata}) + "\n"

    with open(os.path.join(out, "results.jsonl"), "w", encoding="utf-8") as results:
        if os.environ.get("PEER_CLIENT") == "threads":
            scorer = judge(OpenAI(base_url=base_url, api_key="dummy"))
            with ThreadPoolExecutor(calls) as pool:
                for record, score in zip(loaded, pool.map(lambda record: scorer.eval(output=json.dumps(record)), loaded)):
                    results.write(result(record, score))
            return

        async def run():
            scorer, limit = judge(AsyncOpenAI(base_url=base_url, api_key="dummy")), asyncio.Semaphore(calls)

            async def one(record):
                async with limit:
                    results.write(result(record, await scorer.eval_async(output=json.dumps(record), expected=None)))

            await asyncio.gather(*map(one, loaded))

        asyncio.run(run())


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    python = os.path.join(sys.argv[1], "venv", "bin", "python")
    if os.path.realpath(sys.prefix) != os.path.realpath(os.path.join(sys.argv[1], "venv")):
        os.execv(python, [python, *sys.argv])
    os.makedirs(sys.argv[4], exist_ok=True)
    main(sys.argv[2], sys.argv[3], os.path.abspath(sys.argv[4]))
