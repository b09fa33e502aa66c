// The pull request of docs/walkthrough.md, an earlier comment about similar code, and the stand-in
// model's replies.

export const PATH = "player/thumbnails.py";
export const TITLE = "feat(thumbnails): keep rendered thumbnails between sessions";
export const PULL_BODY = "Rendering took seconds after each start. The cache is a folder now.";

const BEFORE = `"""Thumbnails of films."""

import threading

_lock = threading.Lock()
_cache = {}


def thumbnail(film, render):
    with _lock:
        if film.id not in _cache:
            _cache[film.id] = render(film)
        return _cache[film.id]
`;

export const HEAD_TEXT = `"""Thumbnails of films."""

import pathlib
import threading

_lock = threading.Lock()
_folder = pathlib.Path.home() / ".cache" / "player"


def thumbnail(film, render):
    path = _folder / f"{film.id}.png"
    _lock.acquire()
    if not path.exists():
        path.write_bytes(render(film))
    _lock.release()
    return path.read_bytes()
`;

/** A file that the change leaves alone. */
export const CALLER = "player/gallery.py";

/** Its function needs what the change no longer returns, which only its body shows. */
export const CALLER_TEXT = `"""The gallery of films."""

from player.thumbnails import thumbnail
from player.video import first_frame


def tile(film):
    image = thumbnail(film, first_frame)
    return image.resize((160, 90))
`;

/** From BEFORE to HEAD_TEXT, as git prints it. */
export const DIFF = `diff --git a/${PATH} b/${PATH}
index 1c9d3f2..8a7be10 100644
--- a/${PATH}
+++ b/${PATH}
@@ -1,13 +1,16 @@
 """Thumbnails of films."""
 
+import pathlib
 import threading
 
 _lock = threading.Lock()
-_cache = {}
+_folder = pathlib.Path.home() / ".cache" / "player"
 
 
 def thumbnail(film, render):
-    with _lock:
-        if film.id not in _cache:
-            _cache[film.id] = render(film)
-        return _cache[film.id]
+    path = _folder / f"{film.id}.png"
+    _lock.acquire()
+    if not path.exists():
+        path.write_bytes(render(film))
+    _lock.release()
+    return path.read_bytes()
`;

/** True when DIFF is the difference between the two texts. */
export function diffHolds(): boolean {
  const body = DIFF.split("\n").slice(5, -1);
  const side = (marker: string) =>
    body.filter((line) => line[0] === " " || line[0] === marker).map((line) => line.slice(1));
  return `${side("-").join("\n")}\n` === BEFORE && `${side("+").join("\n")}\n` === HEAD_TEXT;
}

export const COMMENT_BEFORE = {
  text: "The lock stays held when render raises: acquire and release need a try/finally, or a with statement.",
  severity: "major",
  category: "reliability",
  path: "player/subtitles.py",
  language: "python",
  hunk: "@@ -8,4 +8,6 @@ def subtitles(film, render):\n+    _lock.acquire()\n+    text = render(film)\n+    _lock.release()\n     return text",
} as const;

/**
 * The stand-in's reply to the review prompt. It copies anchors and precedents from the prompt, as a
 * model must, and says of the caller only what the prompt shows of its body.
 */
export function draftedFor(prompt: string) {
  const line = (text: string) =>
    prompt
      .split("\n")
      .find((one) => one.endsWith(`:+${text}`))
      ?.split(":")[0] ?? "";
  const body = [
    "    _lock.acquire()",
    "    if not path.exists():",
    "        path.write_bytes(render(film))",
    "    _lock.release()",
  ];
  const [first = "", , , last = ""] = body;
  const gives = "    return path.read_bytes()";
  const caller = {
    path: PATH,
    anchor: line(gives),
    endAnchor: null,
    quote: gives,
    severity: "major",
    category: "correctness",
    title: "`tile` resizes what are bytes now",
    body: "`tile` in `player/gallery.py` passes `first_frame` and calls `resize` on the result, so `render` gives an image: `write_bytes` refuses it, and a caller gets bytes without `resize`. Save the image to the path, and open it again.",
    true: 0.95,
    wanted: 1,
    suggestion: null,
    precedents: [],
  };
  return {
    findings: [
      {
        path: PATH,
        anchor: line(first),
        endAnchor: line(last),
        quote: body.join("\n"),
        severity: "major",
        category: "reliability",
        title: "The lock stays held when rendering fails",
        body: "`render` raises for a film that cannot be decoded, and `release` is never reached: every later thumbnail waits forever. Use `with _lock:` as before.",
        true: 0.95,
        wanted: 1,
        suggestion: "    with _lock:\n        if not path.exists():\n            path.write_bytes(render(film))",
        precedents: [/mem_\w{12}/.exec(prompt)?.[0] ?? ""],
      },
      {
        path: PATH,
        anchor: line('_folder = pathlib.Path.home() / ".cache" / "player"'),
        endAnchor: null,
        quote: '_folder = pathlib.Path.home() / ".cache" / "player"',
        severity: "medium",
        category: "correctness",
        title: "The folder may not be there",
        body: "On a new machine `~/.cache/player` does not exist and `write_bytes` fails. Make it with `mkdir(parents=True, exist_ok=True)`.",
        true: 0.45,
        wanted: 1,
        suggestion: null,
        precedents: [],
      },
      ...(prompt.includes("return image.resize(") ? [caller] : []),
    ],
    ruleFindings: [],
    walkthrough: "Keeps rendered thumbnails in a folder instead of in memory; look at the lock around rendering first.",
  };
}

/** What the stand-in's verification says of the findings that hold, by a word of their title. */
const REASONS = {
  lock: "Nothing releases the lock when render raises.",
  tile: "The caller calls resize on the result, which is bytes now.",
};

/** The stand-in's verification: that the folder may not be there is not shown. */
export function verdictsFor(prompt: string) {
  const ids = [...prompt.matchAll(/^\[(fnd_\w+)\] [^\n]*\n([^\n]*)/gm)];
  return {
    findings: ids.map(([, id, title = ""]) => {
      const reason = Object.entries(REASONS).find(([word]) => title.includes(word))?.[1];
      return reason === undefined
        ? {
            id,
            verdict: "not-shown",
            severity: "medium",
            confidence: 0.5,
            reason: "Another part of the program may make the folder.",
          }
        : { id, verdict: "holds", severity: "major", confidence: 0.9, reason };
    }),
  };
}
