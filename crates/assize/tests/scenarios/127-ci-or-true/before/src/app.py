import os

print("app")
