#!/usr/bin/env bash
# Makes the pictures of the README and the manual. Needs hardbop, chromium and python3 on the path; runs from the root
# of the project.
set -euo pipefail
pictures=docs/pictures
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Takes a picture of a page: its address, its size, the file.
picture() {
  chromium --headless --no-sandbox --disable-gpu --hide-scrollbars "--window-size=$2" "--screenshot=$3" "$1" 2>"$work/log"
}

# A program of the tutorial.
python3 - "$work/first.bp" <<'PYTHON'
import re, sys
text = open("docs/manual/tutorial.md").read()
open(sys.argv[1], "w").write(re.search(r"```bp first\.bp\n(.*?)```", text, re.S)[1])
PYTHON

# A violation is exit code 1.
hardbop check examples/driver-lock.c --trace none --html "$work/page.html" || test $? = 1
picture "file://$work/page.html#step=9" 1280,740 "$pictures/page.png"
(cd "$work" && { hardbop check first.bp --trace none --html first.html || test $? = 1; })
picture "file://$work/first.html" 1280,700 "$pictures/tutorial.png"

{ hardbop check examples/bluetooth-1-2.bp --color always || test $? = 1; } >"$work/terminal.txt"
python3 - "$work/terminal.txt" "$work/terminal.html" <<'PYTHON'
import html, re, sys
text = html.escape(open(sys.argv[1]).read())
colours = {"31": "#f07178", "32": "#a5d6a7", "33": "#ffcb6b", "34": "#82aaff", "35": "#c792ea", "36": "#89ddff"}
def span(match):
    codes = match[1].split(";")
    style = "".join(f"color:{colours[code]};" for code in codes if code in colours)
    style += "font-weight:bold;" if "1" in codes else ""
    return "</span>" + (f'<span style="{style}">' if style else "<span>")
text = re.sub(r"\x1b\[([0-9;]*)m", span, text)
command = "<b>$ hardbop check examples/bluetooth-1-2.bp</b>\n"
page = f'<body style="background:#1e222a;margin:16px"><pre style="color:#d7dae0;font:14px monospace"><span>{command}{text}</span></pre>'
open(sys.argv[2], "w").write("<!doctype html><meta charset=utf-8>" + page)
PYTHON
picture "file://$work/terminal.html" 1060,460 "$pictures/terminal.png"

hardbop graph examples/lock.bp --format svg -o "$pictures/graph.svg"
ls -l "$pictures"
