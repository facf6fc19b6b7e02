from flask import Flask, request, session

from users import check

app = Flask(__name__)


@app.post("/login")
def login():
    if check(request.form["user"], request.form["password"]):
        session["user"] = request.form["user"]
        return "", 204
    return "", 401
