from fastapi import FastAPI

from api.store import all_items

app = FastAPI()


@app.get("/v2/items")
def items():
    return {"items": all_items()}


@app.get("/health")
def health():
    return {"status": "ok"}
