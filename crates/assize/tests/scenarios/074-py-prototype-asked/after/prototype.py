"""A look at what the board could be. Everything is hard-coded."""

from flask import Flask, render_template_string

app = Flask(__name__)

# Dummy data, there is no database yet.
TICKETS = [
    {"id": 1, "title": "Lorem ipsum", "state": "open", "owner": "John Doe"},
    {"id": 2, "title": "Fix the thing", "state": "doing", "owner": "Jane Doe"},
    {"id": 3, "title": "Ship it", "state": "done", "owner": "John Doe"},
]

PAGE = """
<!doctype html>
<style>main { display: flex; gap: 1rem } section { flex: 1; background: #eee; padding: 1rem }</style>
<main>
{% for state in ["open", "doing", "done"] %}
  <section>
    <h2>{{ state }}</h2>
    {% for ticket in tickets if ticket.state == state %}
      <p>#{{ ticket.id }} {{ ticket.title }}<br><small>{{ ticket.owner }}</small></p>
    {% endfor %}
  </section>
{% endfor %}
</main>
"""


@app.get("/")
def board():
    return render_template_string(PAGE, tickets=TICKETS)
