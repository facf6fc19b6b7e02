import csv
import io

from fastapi import FastAPI, Response

from api.store import all_items

app = FastAPI()


def to_csv(items) -> str:
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerows((item["id"], item["name"]) for item in items)
    return out.getvalue()


@app.get("/v1/export")
def export_v1():
    return Response(to_csv(all_items()), media_type="text/csv", headers={"Deprecation": "true"})


@app.get("/v2/items")
def items():
    return {"items": all_items()}


@app.get("/health")
def health():
    return {"status": "ok"}
