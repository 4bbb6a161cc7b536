"""python -m regard.exercise           lists the exercises
python -m regard.exercise 3         puts exercise_03.py into this directory; if it is there, checks it
python -m regard.exercise 3 FILE    checks another file; ends with 0 if the answer is right"""

import shutil
import subprocess
import sys
from pathlib import Path

from . import NUMBERS, path_of, titles

arguments = sys.argv[1:]
if not arguments:
    sys.exit(print(f"{titles()}\n\npython -m regard.exercise 1 puts the first one into this directory."))
if len(arguments) > 2 or not arguments[0].isdecimal() or int(arguments[0]) not in NUMBERS:
    sys.exit(f"The number of an exercise is needed, 1 to {NUMBERS[-1]}.\n\n{__doc__}")
number = int(arguments[0])
path = Path(arguments[1] if len(arguments) == 2 else path_of(number).name)
if len(arguments) == 1 and not path.exists():
    try:
        shutil.copyfile(path_of(number), path)
    except OSError as error:
        sys.exit(f"{path} cannot be written into this directory: {error.strerror}.")
    sys.exit(print(f"{path} is new in this directory. Read it, fill in its function, and give the same command again."))
# A process of its own, because the student's file may end Python, or never end. Its exit code is that of a right answer
# only if the check comes to its end.
RIGHT, WRONG, SECONDS = 101, 102, 60
CHECK = f"""import os, sys; from regard.exercise import check_file
right, text = check_file({number}, sys.argv[1])
print(text, file=sys.__stdout__, flush=True)
os._exit({RIGHT} if right else {WRONG})"""
try:
    code = subprocess.run([sys.executable, "-c", CHECK, path], timeout=SECONDS).returncode
except subprocess.TimeoutExpired:
    sys.exit(f"Not yet: {path} runs for more than {SECONDS} seconds; does a loop in it never end?")
if code not in (RIGHT, WRONG):
    print(f"Not yet: {path} ended Python, with the exit code {code}, before the check was complete.")
sys.exit(code != RIGHT)
