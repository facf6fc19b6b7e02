#!/usr/bin/env python3
"""deepeval_run.py FOLDER_OF_INSTALL BASE_URL RECORDS_FILE OUT_DIR

One model call a record: one GEval metric whose evaluation steps are given (else GEval asks the model for steps first).
PEER_CONCURRENCY is the number of records at a time.
"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def main(base_url, records, out):
    os.environ.update(DEEPEVAL_TELEMETRY_OPT_OUT="1", DEEPEVAL_UPDATE_WARNING_OPT_IN="0", DEEPEVAL_DISABLE_DOTENV="1",
                      DEEPEVAL_NO_INSPECT_PROMPT="1", ERROR_REPORTING="0", DEEPEVAL_DISABLE_TIMEOUTS="1", DO_NOT_TRACK="1",
                      CONFIDENT_OPEN_BROWSER="0", OPENAI_API_KEY="dummy")
    records = os.path.abspath(records)
    os.chdir(out)  # DeepEval writes `.deepeval/` into the working directory.
    import json

    import httpx
    from deepeval import evaluate
    from deepeval.evaluate.configs import AsyncConfig, CacheConfig, DisplayConfig, ErrorConfig
    from deepeval.metrics import GEval
    from deepeval.models import DeepEvalBaseLLM
    from deepeval.test_case import LLMTestCase, SingleTurnParams

    calls = int(os.environ.get("PEER_CONCURRENCY", "32"))

    class Judge(DeepEvalBaseLLM):
        def load_model(self):
            self.client = httpx.AsyncClient(timeout=600, trust_env=False,
                                            limits=httpx.Limits(max_connections=calls, max_keepalive_connections=calls))
            return self

        def get_model_name(self):
            return "peer-score"

        def generate(self, prompt, schema=None):
            raise NotImplementedError

        async def a_generate(self, prompt, schema=None):
            body = {"model": "peer-score", "messages": [{"role": "user", "content": prompt}]}
            answer = await self.client.post(base_url + "/chat/completions", json=body)
            answer.raise_for_status()
            content = answer.json()["choices"][0]["message"]["content"]
            return schema.model_validate_json(content) if schema else content

    with open(os.path.join(HERE, "rules.txt"), encoding="utf-8") as file:
        steps = file.read().splitlines()
    with open(records, encoding="utf-8") as file:
        loaded = [json.loads(line) for line in file]
    cases = [LLMTestCase(name=record["id"], input=record["question"], actual_output=json.dumps(record), metadata={"id": record["id"]})
             for record in loaded]
    metric = GEval(name="quality", evaluation_steps=steps, model=Judge(),
                   evaluation_params=[SingleTurnParams.INPUT, SingleTurnParams.ACTUAL_OUTPUT])
    evaluate(cases, metrics=[metric], async_config=AsyncConfig(max_concurrent=calls),
             display_config=DisplayConfig(show_indicator=False, print_results=False, results_folder=out, inspect_after_run=False),
             cache_config=CacheConfig(write_cache=False, use_cache=False), error_config=ErrorConfig(ignore_errors=True))


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    python = os.path.join(sys.argv[1], "venv", "bin", "python")
    if os.path.realpath(sys.prefix) != os.path.realpath(os.path.join(sys.argv[1], "venv")):
        os.execv(python, [python, *sys.argv])
    os.makedirs(sys.argv[4], exist_ok=True)
    main(sys.argv[2], sys.argv[3], os.path.abspath(sys.argv[4]))
