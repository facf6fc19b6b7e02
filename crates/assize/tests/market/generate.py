"""Makes outcomes.csv: 600 tasks and 50 solvers, as anybody can make it again.

A solver passes a task where its skill is above the task's difficulty, more or less (a logistic curve, as in item response theory). The best
solver passes about six tasks of ten, most pass two or three.
"""

import csv
import math
import random

random.seed(20260101)
SKILLS = sorted((random.gauss(-1.2, 0.8) for _ in range(50)), reverse=True)
random.shuffle(SKILLS)
DIFFICULTIES = [random.gauss(0.0, 1.0) for _ in range(600)]

with open("outcomes.csv", "w", newline="") as file:
    table = csv.writer(file, lineterminator="\n")
    table.writerow(["task"] + [f"solver_{at:02}" for at in range(1, 51)])
    for number, difficulty in enumerate(DIFFICULTIES, start=1):
        passes = [int(random.random() < 1 / (1 + math.exp(difficulty - skill))) for skill in SKILLS]
        table.writerow([f"task_{number:03}"] + passes)
